import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import { textOf, type Endpoint, type Json } from '../../api';
import { isRecord, isResource, type Resource } from '../../base/types';
import { downloadable, expiryOf } from '../../creation/outputs';
import { choicesOf, type OffersTyped } from './choices';
import { readListPage, type Query } from './request';

/* How a picker searches a list of the service, and what it shows where the list cannot be read. */

/** What n8n calls for a picker. */
export type Search = (
	this: ILoadOptionsFunctions,
	filter?: string,
	cursor?: string,
) => Promise<INodeListSearchResult>;

/** Where a list is read from, how its entries are named, and what is shown if there are none. */
export interface Listing {
	endpoint: Endpoint;
	nameOf: (entry: Resource) => string;
	empty: string;
	isSelectable?: (entry: Resource) => boolean;
	query?: Query;
	offersTyped?: OffersTyped;
	/** Reads what is said of an entry after its name, at the same time as the list. Never fails. */
	readNotes?: (list: Promise<Json[]>) => Promise<(entry: Resource) => string>;
}

/** An entry, with n8n's button that opens its link if it has one. */
export function listedEntry(name: string, id: string, link: unknown): INodeListSearchItems {
	const isLink = typeof link === 'string' && /^https?:\/\//.test(link);
	return isLink ? { name, value: id, url: link } : { name, value: id };
}

/**
 * A link at which an entry can be looked at or heard: its first file or its preview, because the service has
 * no page for it. A link that expires is of no use, because n8n saves it with the workflow.
 */
const lastingLink = (entry: Resource): unknown =>
	downloadable(entry).find((file) => expiryOf(file) === Infinity)?.url;

/**
 * The entry that was chosen in the field of a picker.
 * @param field the name of the field, in a collection or not
 */
export function heldBy(
	context: ILoadOptionsFunctions,
	field: string,
): INodeListSearchItems | undefined {
	// With `&`, n8n looks for the name beside the field that asks, in the same collection.
	const holders = [field, `&${field}`].map((name) => context.getCurrentNodeParameter(name));
	for (const holder of holders.filter(isRecord)) {
		const { value, cachedResultName, cachedResultUrl } = holder;
		const id = textOf(value);
		if (id === undefined) continue;
		return listedEntry(textOf(cachedResultName) ?? id, id, cachedResultUrl);
	}
	return undefined;
}

/**
 * The cursor of a list that could not be read: the editor asks for that page once somebody opens the list.
 */
export const AGAIN = 'again';

/**
 * A search that never empties its field. n8n empties it when another credential is chosen and the list does
 * not have the chosen entry, also if the list could not be read. So a list that could not be read has at
 * first only the chosen entry. It is read again when somebody opens it, because the credential may have been
 * corrected.
 * @param again the search that is carried out then
 */
export const keeping = (field: string, search: Search, again = search): Search =>
	async function (filter, cursor) {
		const held = heldBy(this, field);
		if (cursor === AGAIN) {
			// A line that chooses nothing, because a picker has no other place for words.
			const failed = ({ message }: Error): INodeListSearchResult => {
				return { results: [{ name: message, value: '' }] };
			};
			const found = await again.call(this, filter).catch(failed);
			const others = found.results.filter(({ value }) => value !== held?.value);
			return { ...found, results: others };
		}
		const found = search.call(this, filter, cursor);
		if (held === undefined || filter || cursor) return await found;
		return await found.catch(() => ({ results: [held], paginationToken: AGAIN }));
	};

/**
 * What was read. If it cannot be read, the picker shows the reason, but not while somebody types: then it has
 * the value that is given instead.
 */
export async function unlessTyped<T>(read: () => Promise<T>, instead: T, typed = ''): Promise<T> {
	if (typed.trim() === '') return await read();
	return await read().catch(() => instead);
}

/** A search in a list of the service, page by page. */
export const searchOf = (listingOf: (context: ILoadOptionsFunctions) => Listing): Search =>
	async function (filter, cursor) {
		const listing = listingOf(this);
		const { endpoint, nameOf, empty, isSelectable = () => true, query, offersTyped } = listing;
		const pageQuery = cursor ? { ...query, cursor } : query;
		const read = async () => await readListPage(this, endpoint, pageQuery);
		const typed = offersTyped ? filter : '';
		const instead = { entries: [], next: undefined };
		const reading = unlessTyped(read, instead, typed);
		const listed = reading.then(({ entries }) => entries).catch(() => []);
		const notes = listing.readNotes?.(listed);
		const { entries, next } = await reading;
		const noteOf = (await notes) ?? (() => '');
		const choices = entries
			.filter(isResource)
			.filter(isSelectable)
			.map((entry) => listedEntry(nameOf(entry) + noteOf(entry), entry.id, lastingLink(entry)));
		return choicesOf(choices, { filter, cursor, next, empty, offersTyped });
	};
