import { jobState } from '../../src/transport/jobState';
import { isResource, type Resource } from '../../src/base/types';
import type { Page } from '../../src/transport/pages';

/** Finished generations to remember: the next poll reads no more than 100 of them again. */
export const MAX_SEEN = 200;

const MAX_RUNNING = 1_000;

/** Most pages of 100 that a poll reads: 20,000 generations since the last one. */
const MAX_PAGES = 200;

/** Most pages of another key: if none shows something known, it is of another workspace. */
const MAX_PAGES_OF_OTHER_KEY = 20;

/** Workspaces to remember, for who changes to another key and back. */
const MAX_WORKSPACES = 3;

/** Unfinished generations that no page shows: at most this many are read in each poll. */
const SINGLE_READS = 5;

/** What is known of a workspace after a poll, in n8n's static data. */
export interface PollState {
	/** The service and key that the rest belongs to. */
	workspace: string;
	/** Ids of the newest generations that had finished, newest first. */
	seen: string[];
	running: string[];
}

export interface Reader {
	/** A page of the list, the newest first; without a cursor the first one. */
	page(cursor: string | undefined): Promise<Page>;
	/** The error for a list that cannot be read as far as it is needed. */
	unreadable(problem: string): Error;
	/** `gone` if it no longer exists, `undefined` if it cannot be read at the moment. */
	read(id: string): Promise<Resource | 'gone' | undefined>;
}

/** What a poll has found, and what the next one starts from. */
export interface PollResult {
	/** Finished since the last poll, newest last as far as the list shows; each once. */
	finished: Resource[];
	/** Of the last workspaces, this one first. */
	states: PollState[];
	/** False if there was more than one poll can read. */
	complete: boolean;
}

export const isFinished = (job: Resource): boolean =>
	jobState({ ...job, object: 'generation' }) !== 'running';

const idsOf = (jobs: Resource[]): string[] => jobs.map(({ id }) => id);

/** How many pages a poll reads at most. */
function maxPagesOf(own: PollState | undefined, before: readonly PollState[]): number {
	if (own) return MAX_PAGES;
	return before.length === 0 ? 1 : MAX_PAGES_OF_OTHER_KEY;
}

const shows = (jobs: Resource[], { seen, running }: PollState): boolean =>
	jobs.some(({ id }) => seen.includes(id) || running.includes(id));

/**
 * One poll of the generations of a workspace: what has finished since the last one, each exactly
 * once. It knows no time of creation or end (specification: Generation), so it remembers what it
 * has seen finished and what was not finished, and reads pages until one shows something known. The
 * first poll, also of another workspace, only records. Throws what the reader throws; the states are
 * then to be left as they were, so that nothing is lost.
 */
export async function findNewlyFinished(
	reader: Reader,
	workspace: string,
	before: readonly PollState[],
): Promise<PollResult> {
	const own = before.find((state) => state.workspace === workspace);
	// Another key may be of one of the workspaces: then the list shows something that is known of it.
	const candidates = own ? [own] : before;
	const maxPages = maxPagesOf(own, before);
	const listed = new Map<string, Resource>();
	let known: PollState | undefined;
	let cursor: string | undefined;
	let isAtEnd = false;
	for (let pages = 1; pages <= maxPages && !known && !isAtEnd; pages += 1) {
		const { entries, next, deadEnd } = await reader.page(cursor);
		const jobs = entries.filter(isResource);
		for (const job of jobs) listed.set(job.id, job);
		known = candidates.find((state) => shows(jobs, state));
		if (deadEnd !== undefined && own && !known) throw reader.unreadable(deadEnd);
		isAtEnd = next === undefined || next === cursor;
		cursor = next;
	}
	const last = known ?? own;
	const { seen, running }: PollState = last ?? { workspace, seen: [], running: [] };
	const hidden = running.filter((id) => !listed.has(id));
	const read: Resource[] = [];
	const unread = hidden.slice(SINGLE_READS);
	for (const id of hidden.slice(0, SINGLE_READS)) {
		const job = await reader.read(id);
		if (job === undefined) unread.push(id);
		else if (job !== 'gone') read.push({ ...job, id });
	}
	const all = [...listed.values(), ...read];
	const done = all.filter(isFinished);
	const stillRunning = idsOf(all.filter((job) => !isFinished(job)));
	const state: PollState = {
		workspace,
		seen: [...new Set([...idsOf(done), ...seen])].slice(0, MAX_SEEN),
		// What was read last comes last, so that all have their turn.
		running: [...unread, ...stillRunning].slice(0, MAX_RUNNING),
	};
	return {
		finished: last ? done.filter(({ id }) => !seen.includes(id)).reverse() : [],
		complete: last === undefined || known !== undefined || isAtEnd,
		states: [state, ...before.filter((one) => one !== last)].slice(0, MAX_WORKSPACES),
	};
}
