import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { ENDPOINTS, LIMITS } from '../../contract';
import { joined } from './names';
import { searchList, type Listing } from './searchList';

const generations: Listing = {
	endpoint: ENDPOINTS.listGenerations,
	nameOf: ({ id, mode, model, status }) => joined(mode, model, status, id),
	empty: 'No generations yet: make one with the operation Create',
	query: { limit: LIMITS.listLimit.max },
};

/** The generations of the workspace, a page at a time. */
export async function searchGenerations(
	this: ILoadOptionsFunctions,
	filter?: string,
	cursor?: string,
): Promise<INodeListSearchResult> {
	return await searchList(this, generations, { filter, cursor });
}
