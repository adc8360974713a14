import type { INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';
import { matches } from './request';

interface Looked {
	/** What the user has typed. */
	filter?: string;
	/** Where a further page begins. */
	cursor?: string;
	/** Where the next page begins. */
	next?: string;
	/** What to do when there is nothing to choose. */
	empty: string;
}

/**
 * The choices of a picker that fit what was typed. A list with nothing in it says what to do, as a line that chooses nothing: the
 * picker has no other place for words.
 */
export function choicesOf(
	all: INodeListSearchItems[],
	{ filter, cursor, next, empty }: Looked,
): INodeListSearchResult {
	const nothing = all.length === 0 && !cursor && !next;
	if (nothing && !filter?.trim()) return { results: [{ name: empty, value: '' }] };
	const results = all.filter(({ name, value }) => matches(filter, name, String(value)));
	return { results, paginationToken: next };
}
