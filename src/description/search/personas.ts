import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { ENDPOINTS } from '../../contract';
import { searchList } from './listed';
import { hasId, labelOf, matches, readPage } from './request';

/** The personas of the workspace that are ready to be used. */
export async function searchPersonas(
	this: ILoadOptionsFunctions,
	filter?: string,
	cursor?: string,
): Promise<INodeListSearchResult> {
	const query: IDataObject = cursor ? { cursor } : {};
	const { entries, next } = await readPage(this, ENDPOINTS.listPersonas, query);
	const results = entries
		.filter(hasId)
		.filter(({ status }) => status !== 'failed')
		.map((persona) => ({ name: labelOf(persona), value: persona.id }));
	return {
		results: results.filter(({ name, value }) => matches(filter, name, value)),
		paginationToken: next,
	};
}

/** All personas of the workspace, those that failed included: they can be looked at and deleted. */
export async function searchAllPersonas(
	this: ILoadOptionsFunctions,
	filter?: string,
	cursor?: string,
): Promise<INodeListSearchResult> {
	return await searchList(this, ENDPOINTS.listPersonas, labelOf, { filter, cursor });
}
