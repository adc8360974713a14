import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import type { Endpoint } from '../../contract';
import type { Resource } from '../../transport/base/types';
import { choicesOf } from './choices';
import { hasId, readPage } from './request';

/** What a list is read from, how its entries are called, and what is said when there are none. */
export interface Listing {
	endpoint: Endpoint;
	nameOf: (entry: Resource) => string;
	empty: string;
	/** Leaves out what cannot be chosen. */
	isOffered?: (entry: Resource) => boolean;
	query?: IDataObject;
}

/** A page of a list of the service as the choices of a picker, filtered by what the user has typed. */
export async function searchList(
	context: ILoadOptionsFunctions,
	{ endpoint, nameOf, empty, isOffered = () => true, query = {} }: Listing,
	{ filter, cursor }: { filter?: string; cursor?: string },
): Promise<INodeListSearchResult> {
	const { entries, next } = await readPage(context, endpoint, {
		...query,
		...(cursor && { cursor }),
	});
	const offered = entries.filter(hasId).filter(isOffered);
	const choices = offered.map((entry) => ({ name: nameOf(entry), value: entry.id }));
	return choicesOf(choices, { filter, cursor, next, empty });
}
