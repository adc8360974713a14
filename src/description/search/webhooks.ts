import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { ENDPOINTS } from '../../contract';
import type { Resource } from '../../transport/base/types';
import { joined } from './names';
import { searchList, type Listing } from './searchList';

const nameOf = ({ url, description, id }: Resource): string => joined(description, url, id);

const webhooks: Listing = {
	endpoint: ENDPOINTS.listWebhooks,
	nameOf,
	empty: 'No webhooks yet: make one with the operation Create',
};

/** The webhooks of the workspace. */
export async function searchWebhooks(
	this: ILoadOptionsFunctions,
	filter?: string,
	cursor?: string,
): Promise<INodeListSearchResult> {
	return await searchList(this, webhooks, { filter, cursor });
}
