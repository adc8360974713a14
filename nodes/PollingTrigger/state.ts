import { createHash } from 'crypto';

/**
 * Most finished generations to remember: more than a poll usually reads. 11 characters each in
 * n8n's database.
 */
export const MAX_SEEN = 2_000;

/** Most unfinished generations to remember. */
export const MAX_UNFINISHED = 1_000;

/**
 * The order of GET /generations. The specification does not state it, so it is inferred from the
 * cursors.
 */
export type Order = 'newest' | 'oldest';

/** The state after the last poll, in n8n's static data. */
export interface PollState {
	/** The service and key that the rest belongs to. */
	workspace?: string;
	/** Unknown until a list has had three pages. */
	order?: Order;
	/** Oldest first: the cursor of the last page but one, where the next poll begins. */
	start?: string;
	/** Whether everything that existed at the first poll has been recorded. */
	isPrimed?: boolean;
	/** Hashes of finished generations, newest first. */
	seen?: string[];
	/** Ids of generations that had not finished. */
	unfinished?: string[];
	/** What the last poll has handed to n8n, and in which process. */
	emitted?: { by: string; ids: string[] };
}

/**
 * Marks emitted generations that may not have arrived as unfinished, so that the next poll finds
 * them again.
 */
export function withPossiblyLost(state: PollState, doubtful: string[]): PollState {
	const known = { ...state };
	delete known.emitted;
	if (doubtful.length === 0) return known;
	const marks = new Set(doubtful.map(hashOf));
	return {
		...known,
		seen: known.seen?.filter((mark) => !marks.has(mark)),
		unfinished: [...new Set([...doubtful, ...(known.unfinished ?? [])])].slice(0, MAX_UNFINISHED),
	};
}

/**
 * Short, because thousands are kept: 60 bits, so that two of a few thousand are the same once in
 * 10^11 times.
 */
export const hashOf = (id: string): string =>
	createHash('sha256').update(id).digest('base64url').slice(0, 10);

/** Identifies a workspace without revealing its key. */
export const workspaceMark = (baseUrl: string, apiKey: string): string =>
	createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('base64url').slice(0, 22);
