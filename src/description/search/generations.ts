import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { ENDPOINTS, LIMITS } from '../../contract';
import { hasId, matches, readPage } from './request';

/** The generations of the workspace, a page at a time. */
export async function searchGenerations(
	this: ILoadOptionsFunctions,
	filter?: string,
	cursor?: string,
): Promise<INodeListSearchResult> {
	const query: IDataObject = { limit: LIMITS.listLimit.max, ...(cursor && { cursor }) };
	const { entries, next } = await readPage(this, ENDPOINTS.listGenerations, query);
	const results = entries.filter(hasId).map(({ id, mode, model, status }) => ({
		name: `${String(mode)} · ${String(model)} · ${String(status)} · ${id}`,
		value: id,
	}));
	return {
		results: results.filter(({ name }) => matches(filter, name)),
		paginationToken: next,
	};
}
