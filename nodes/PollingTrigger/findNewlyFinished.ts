import { LIMITS } from '../../src/api';
import { jobState } from '../../src/transport/jobState';
import { isResource, type Resource } from '../../src/base/types';
import type { Page } from '../../src/transport/pages';

/** How many finished generations are remembered: twice as many as a page shows. */
export const MAX_SEEN = 200;

const MAX_RUNNING = 1_000;

/** The most pages of 100 that a poll reads: 20,000 generations since the last poll. */
const MAX_PAGES = 200;

/** The most pages that are read with another key. If none shows a known job, its workspace is another one. */
const MAX_PAGES_OF_OTHER_KEY = 20;

/** How many workspaces are remembered, in case somebody changes to another key and back. */
const MAX_WORKSPACES = 3;

/** How many unfinished generations that no page shows are read singly in each poll. */
const SINGLE_READS = 5;

/** What is known of a workspace after a poll, in n8n's static data. */
export interface PollState {
	/** The service and key that the rest belongs to. */
	workspace: string;
	/** The ids of the newest generations that had finished, the newest first. */
	seen: string[];
	/** The ids of generations that had not finished. */
	running: string[];
}

export interface Reader {
	/** Reads a page of the list, which begins with the newest generation; without a cursor the first page. */
	page(cursor: string | undefined): Promise<Page>;
	/** Makes the error for a list that cannot be read as far as it is needed. */
	unreadable(problem: string): Error;
	/** Reads a generation: `gone` if it no longer exists, `undefined` if it cannot be read at the moment. */
	read(id: string): Promise<Resource | 'gone' | undefined>;
}

/** What a poll has found, and what the next one starts from. */
export interface PollResult {
	/** What has finished since the last poll, each once; the newest last, as far as the list shows it. */
	finished: Resource[];
	/** The states of the last workspaces, that of this poll first. */
	states: PollState[];
	/** Whether all was read; `false` if there was more than one poll can read. */
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
 * Finds what has finished in a workspace since the last poll, each generation exactly once. Generations have
 * no time of creation or end (specification: Generation). So a poll remembers which it has seen finished and
 * which unfinished, and the next one reads pages until one shows a generation that is known. The first poll
 * of a workspace only remembers. If a generation is deleted, the pages show an older one in its place, so
 * that more than a page has to be known.
 * @throws what the reader throws; the states must then stay as they were, so that nothing is lost
 */
export async function findNewlyFinished(
	reader: Reader,
	workspace: string,
	before: readonly PollState[],
): Promise<PollResult> {
	const own = before.find((state) => state.workspace === workspace);
	// Another key may be of a workspace that is known: then the list shows a generation that is known of it.
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
	// What stands behind a page with a known one is older than that, and not new.
	const older = new Set<string>();
	const knownCount = known ? seen.length + running.length : listed.size;
	if (!isAtEnd && knownCount <= LIMITS.listLimit.max)
		for (const job of (await reader.page(cursor)).entries.filter(isResource)) {
			listed.set(job.id, job);
			if (!running.includes(job.id)) older.add(job.id);
		}
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
		// Those that were not read now come first, so that all have their turn.
		running: [...unread, ...stillRunning].slice(0, MAX_RUNNING),
	};
	return {
		finished: last ? done.filter(({ id }) => !seen.includes(id) && !older.has(id)).reverse() : [],
		complete: last === undefined || known !== undefined || isAtEnd,
		states: [state, ...before.filter((one) => one !== last)].slice(0, MAX_WORKSPACES),
	};
}
