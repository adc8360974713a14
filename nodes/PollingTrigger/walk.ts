import { isResource, type Resource } from '../../src/transport/base/types';
import type { Order } from './state';

/** Pages that the first look reads where the newest come first: whatever is older is history and is never walked to. */
const FIRST_LOOK_PAGES = 5;

/** Pages of 100 that a look reads at most: 20,000 generations since the last. */
const MOST_PAGES = 200;

/** One page of GET /generations. */
export interface Page {
	entries: unknown[];
	/** What continues the list; `undefined` on the last page. */
	next?: string;
}

export type ReadPage = (cursor: string | undefined) => Promise<Page>;

export interface Walk {
	/** By id, in the order of the list. */
	entries: Map<string, Resource>;
	order: Order | undefined;
	/** Where a list with the oldest first is taken up again: before its last page but one. */
	start: string | undefined;
	/** Whether everything new was reached. */
	complete: boolean;
}

export interface Plan {
	order: Order | undefined;
	start: string | undefined;
	/** Notes what is there; there is nothing known yet to stop at. */
	first: boolean;
	isKnown: (id: string) => boolean;
	isFinished: (job: Resource) => boolean;
}

/** The cursors are date-times (specification: Operation details): they rise where the oldest come first. */
function orderOf([first, second]: string[]): Order | undefined {
	if (first === undefined || second === undefined) return undefined;
	return Date.parse(second) > Date.parse(first) ? 'oldest' : 'newest';
}

/**
 * Reads pages until everything new is found. With the newest first that is when a page holds only what is known; after news one
 * more such page is read, for entries that became visible late. Otherwise the list is read to its end.
 */
export async function walk(readPage: ReadPage, plan: Plan): Promise<Walk> {
	const { first, isKnown, isFinished } = plan;
	const found: Walk = { entries: new Map(), order: plan.order, start: plan.start, complete: false };
	const starts: Array<string | undefined> = [plan.start];
	const cursors: string[] = [];
	let knownInRow = 0;
	for (let pages = 1; pages <= MOST_PAGES; pages += 1) {
		const { entries, next } = await readPage(starts.at(-1));
		const listed = entries.filter(isResource);
		for (const entry of listed) {
			const before = found.entries.get(entry.id);
			// Something may have finished, or moved to the next page, while the pages were read.
			if (!before || isFinished(entry)) found.entries.set(entry.id, entry);
		}
		knownInRow = listed.every(({ id }) => isKnown(id)) ? knownInRow + 1 : 0;
		if (next === undefined || cursors.includes(next))
			return { ...found, ...end(starts), complete: true };
		cursors.push(next);
		found.order ??= orderOf(cursors);
		if (found.order === 'newest') {
			const enough = first ? pages >= FIRST_LOOK_PAGES : knownInRow >= Math.min(pages, 2);
			if (enough) return { ...found, start: undefined, complete: true };
		}
		starts.push(next);
	}
	return { ...found, ...end(starts) };

	/** Only a list that is known to have its oldest first is taken up in its middle. */
	function end(begun: Array<string | undefined>): Pick<Walk, 'start'> {
		return { start: found.order === 'oldest' ? (begun.at(-2) ?? begun.at(-1)) : undefined };
	}
}
