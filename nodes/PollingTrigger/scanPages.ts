import { isResource, type Resource } from '../../src/transport/base/types';
import type { Page } from '../../src/transport/http/pages';
import type { Order } from './state';

/**
 * Pages that the first poll reads of a newest-first list: whatever is older is history and is never
 * read.
 */
const FIRST_POLL_PAGES = 5;

/** Most pages of 100 that a poll reads: 20,000 generations since the last one. */
const MAX_PAGES = 200;

/** Reads a page of the list of generations; without a cursor the first one. */
export type ReadPage = (cursor: string | undefined) => Promise<Page>;

/** What was read of the list. */
export interface Scan {
	/** By id, in the order of the list. */
	entries: Map<string, Resource>;
	order: Order | undefined;
	/** Where an oldest-first list is resumed: at its last page but one. */
	start: string | undefined;
	/** Whether everything new was reached. */
	complete: boolean;
}

/** Where a scan begins, and at what it may stop. */
export interface ScanOptions {
	order: Order | undefined;
	start: string | undefined;
	/** Only records what exists; nothing is known yet at which to stop. */
	first: boolean;
	isKnown: (id: string) => boolean;
	isFinished: (job: Resource) => boolean;
}

/**
 * The cursors are date-times (specification: Operation details): they ascend in an oldest-first
 * list.
 */
function orderOf([first, second]: string[]): Order | undefined {
	if (first === undefined || second === undefined) return undefined;
	return Date.parse(second) > Date.parse(first) ? 'oldest' : 'newest';
}

/**
 * Reads pages until everything new is found. A newest-first list ends at a page of known entries;
 * after new ones a second such page is read, for entries that became visible late. Any other list
 * is read to its end.
 */
export async function scanPages(readPage: ReadPage, options: ScanOptions): Promise<Scan> {
	const { first, isKnown, isFinished } = options;
	const found: Scan = {
		entries: new Map(),
		order: options.order,
		start: options.start,
		complete: false,
	};
	const starts: Array<string | undefined> = [options.start];
	const cursors: string[] = [];
	let knownInRow = 0;
	for (let pages = 1; pages <= MAX_PAGES; pages += 1) {
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
			const enough = first ? pages >= FIRST_POLL_PAGES : knownInRow >= Math.min(pages, 2);
			if (enough) return { ...found, start: undefined, complete: true };
		}
		starts.push(next);
	}
	return { ...found, ...end(starts) };

	/** Only a list known to be oldest first is resumed in the middle. */
	function end(begun: Array<string | undefined>): Pick<Scan, 'start'> {
		return { start: found.order === 'oldest' ? (begun.at(-2) ?? begun.at(-1)) : undefined };
	}
}
