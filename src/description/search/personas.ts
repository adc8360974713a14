import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { ENDPOINTS } from '../../contract';
import { searchList, type Listing } from './searchList';
import { labelOf } from './request';

const personas: Listing = {
	endpoint: ENDPOINTS.listPersonas,
	nameOf: labelOf,
	empty: 'No personas yet: make one with the node MediaGen Persona',
};

const usable: Listing = { ...personas, isSelectable: ({ status }) => status !== 'failed' };

/** The personas of the workspace that are ready to be used. */
export async function searchPersonas(
	this: ILoadOptionsFunctions,
	filter?: string,
	cursor?: string,
): Promise<INodeListSearchResult> {
	return await searchList(this, usable, { filter, cursor });
}

/** All personas of the workspace, including failed ones: they can be read and deleted. */
export async function searchAllPersonas(
	this: ILoadOptionsFunctions,
	filter?: string,
	cursor?: string,
): Promise<INodeListSearchResult> {
	return await searchList(this, personas, { filter, cursor });
}
