import type { INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';
import { matches } from './request';

interface ChoiceQuery {
	/** What the user has typed. */
	filter?: string;
	/** Cursor of a further page. */
	cursor?: string;
	/** Cursor of the next page. */
	next?: string;
	/** What to do if there is nothing to choose. */
	empty: string;
}

/**
 * The choices of a picker that fit what was typed. A list with nothing in it says what to do, as a
 * line that chooses nothing: the picker has no other place for words.
 */
export function choicesOf(
	all: INodeListSearchItems[],
	{ filter, cursor, next, empty }: ChoiceQuery,
): INodeListSearchResult {
	const nothing = all.length === 0 && !cursor && !next;
	if (nothing && !filter?.trim()) return { results: [{ name: empty, value: '' }] };
	const results = all.filter(({ name, value }) => matches(filter, name, String(value)));
	// A page that names itself as the next one would be loaded without end.
	return { results, paginationToken: next === cursor ? undefined : next };
}
