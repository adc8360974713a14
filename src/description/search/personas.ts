import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { ENDPOINTS } from '../../contract';
import { searchList, type Listing } from './listed';
import { labelOf } from './request';

const personas: Listing = {
	endpoint: ENDPOINTS.listPersonas,
	nameOf: labelOf,
	empty: 'No personas yet: make one with the node MediaGen Persona',
};

const usable: Listing = { ...personas, isOffered: ({ status }) => status !== 'failed' };

/** The personas of the workspace that are ready to be used. */
export async function searchPersonas(
	this: ILoadOptionsFunctions,
	filter?: string,
	cursor?: string,
): Promise<INodeListSearchResult> {
	return await searchList(this, usable, { filter, cursor });
}

/** All personas of the workspace, those that failed included: they can be looked at and deleted. */
export async function searchAllPersonas(
	this: ILoadOptionsFunctions,
	filter?: string,
	cursor?: string,
): Promise<INodeListSearchResult> {
	return await searchList(this, personas, { filter, cursor });
}
