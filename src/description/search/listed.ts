import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import type { Endpoint } from '../../contract';
import type { Resource } from '../../transport/types';
import { hasId, matches, readPage } from './request';

/** A page of a list of the service as the choices of a picker, filtered by what the user has typed. */
export async function searchList(
	context: ILoadOptionsFunctions,
	endpoint: Endpoint,
	nameOf: (entry: Resource) => string,
	{ filter, cursor }: { filter?: string; cursor?: string },
): Promise<INodeListSearchResult> {
	const query: IDataObject = cursor ? { cursor } : {};
	const { entries, next } = await readPage(context, endpoint, query);
	const results = entries.filter(hasId).map((entry) => ({ name: nameOf(entry), value: entry.id }));
	return {
		results: results.filter(({ name, value }) => matches(filter, name, value)),
		paginationToken: next,
	};
}
