import { createHash } from 'crypto';

/** Finished generations remembered at most: what a look reads, and more. 11 characters each in n8n's database. */
export const MOST_SEEN = 2_000;

/** Unfinished generations remembered at most. */
export const MOST_OPEN = 1_000;

/** How the pages of GET /generations follow one another: not shown, so it is read from the cursors. */
export type Order = 'newest' | 'oldest';

/** What the last look has left behind, in n8n's static data. */
export interface PollState {
	/** Which service and key the rest speaks of. */
	workspace?: string;
	/** Unknown until a list had three pages. */
	order?: Order;
	/** With the oldest first: the cursor of the last page but one, where the next look begins. */
	start?: string;
	/** Whether all that was there at the first look has been noted. */
	settled?: boolean;
	/** Marks of finished generations, the newest first. */
	seen?: string[];
	/** Ids of generations that were not finished. */
	open?: string[];
	/** What the last look has given to n8n, and in which process. */
	given?: { by: string; ids: string[] };
}

/** The state with generations that were given, and may not have arrived, unfinished again: the next look finds them. */
export function withoutDoubt(state: PollState, doubtful: string[]): PollState {
	const known = { ...state };
	delete known.given;
	if (doubtful.length === 0) return known;
	const marks = new Set(doubtful.map(markOf));
	return {
		...known,
		seen: known.seen?.filter((mark) => !marks.has(mark)),
		open: [...new Set([...doubtful, ...(known.open ?? [])])].slice(0, MOST_OPEN),
	};
}

/** Short, because thousands are kept: 60 bits, so that two of a few thousand are the same once in 10^11 times. */
export const markOf = (id: string): string =>
	createHash('sha256').update(id).digest('base64url').slice(0, 10);

/** Names a workspace without giving its key away. */
export const workspaceMark = (baseUrl: string, apiKey: string): string =>
	createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('base64url').slice(0, 22);
