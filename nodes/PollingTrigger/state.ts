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
}

/** Short, because thousands are kept: 60 bits, so that two of a few thousand are the same once in 10^11 times. */
export const markOf = (id: string): string =>
	createHash('sha256').update(id).digest('base64url').slice(0, 10);

/** Names a workspace without giving its key away. */
export const workspaceMark = (baseUrl: string, apiKey: string): string =>
	createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('base64url').slice(0, 22);
