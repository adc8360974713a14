import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import type { Endpoint } from '../../contract';
import { isResource, type Resource } from '../../transport/base/types';
import { choicesOf } from './choices';
import { readPage } from './request';

/** Where a list is read from, how its entries are named, and what is shown if there are none. */
export interface Listing {
	endpoint: Endpoint;
	nameOf: (entry: Resource) => string;
	empty: string;
	/** Leaves out what cannot be chosen. */
	isSelectable?: (entry: Resource) => boolean;
	query?: IDataObject;
}

/**
 * A page of a list of the service as the choices of a picker, filtered by what the user has typed.
 */
export async function searchList(
	context: ILoadOptionsFunctions,
	{ endpoint, nameOf, empty, isSelectable = () => true, query = {} }: Listing,
	{ filter, cursor }: { filter?: string; cursor?: string },
): Promise<INodeListSearchResult> {
	const pageQuery = cursor ? { ...query, cursor } : query;
	const { entries, next } = await readPage(context, endpoint, pageQuery);
	const selectable = entries.filter(isResource).filter(isSelectable);
	const choices = selectable.map((entry) => ({ name: nameOf(entry), value: entry.id }));
	return choicesOf(choices, { filter, cursor, next, empty });
}
