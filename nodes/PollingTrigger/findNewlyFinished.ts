import { jobState } from '../../src/transport/jobs/jobState';
import type { Resource } from '../../src/transport/base/types';
import { hashOf, MAX_UNFINISHED, MAX_SEEN, type PollState } from './state';
import { scanPages, type ReadPage, type Scan } from './scanPages';

/**
 * Unfinished generations missing from the pages are read one by one, at most this many per poll;
 * later polls read the rest.
 */
const SINGLE_READS_PER_POLL = 5;

/** How a poll reads the service. */
export interface Reader {
	page: ReadPage;
	/**
	 * The current state of a generation; `gone` if it no longer exists, `undefined` if it cannot be
	 * read at the moment.
	 */
	read(id: string): Promise<Resource | 'gone' | undefined>;
}

/** What a poll has found, and what the next one starts from. */
export interface PollResult {
	/** Finished since the last poll, newest last as far as the list shows; each once. */
	finished: Resource[];
	state: PollState;
	/** False if there was more than one poll can read. */
	complete: boolean;
}

const isFinished = (job: Resource): boolean =>
	jobState({ ...job, object: 'generation' }) !== 'running';

/** Reads the unfinished ones that are further down the list than the pages read. */
async function readSingles(reader: Reader, ids: string[]) {
	const finished: Resource[] = [];
	const unfinished: string[] = [];
	for (const id of ids.slice(0, SINGLE_READS_PER_POLL)) {
		const now = await reader.read(id);
		if (now === 'gone') continue;
		if (now && isFinished(now)) finished.push({ ...now, id });
		else unfinished.push(id);
	}
	return { finished, unfinished: [...ids.slice(SINGLE_READS_PER_POLL), ...unfinished] };
}

const uniqueHashes = (hashes: string[]): string[] => [...new Set(hashes)].slice(0, MAX_SEEN);

/** The finished ones of a scan, newest first. */
function newestFirst({ entries, order }: Scan): Resource[] {
	const finished = [...entries.values()].filter(isFinished);
	return order === 'oldest' ? finished.reverse() : finished;
}

/**
 * One poll of the generations of a workspace: what has finished since the last one, each exactly
 * once. It knows no time of creation or end (specification: Generation), so it remembers what it
 * has seen finished and what was not finished. The first poll only records. Throws what the reader
 * throws; the state is then to be left as it was, so that nothing is lost.
 */
export async function findNewlyFinished(reader: Reader, state: PollState): Promise<PollResult> {
	const first = state.isPrimed !== true;
	const seen = new Set(state.seen);
	const unfinished = new Set(state.unfinished);
	const scan = await scanPages(reader.page, {
		order: state.order,
		start: state.start,
		first,
		isKnown: (id) => seen.has(hashOf(id)) || unfinished.has(id),
		isFinished,
	});
	const { entries, order, start, complete } = scan;
	const hidden = [...unfinished].filter((id) => !entries.has(id));
	const singles = await readSingles(reader, hidden);
	const listed = newestFirst(scan);
	const isNew = ({ id }: Resource) => !seen.has(hashOf(id));
	const fresh = [...listed, ...singles.finished].filter(isNew);
	const running = [...entries.values()].filter((job) => !isFinished(job)).map(({ id }) => id);
	const hashes = [...listed, ...singles.finished].map(({ id }) => hashOf(id));
	return {
		finished: first ? singles.finished.filter(isNew) : fresh.reverse(),
		complete,
		state: {
			order,
			start,
			// An oldest-first list must be read to its end before anything in it counts as new.
			isPrimed: !first || complete || order === 'newest',
			seen: uniqueHashes([...hashes, ...(state.seen ?? [])]),
			unfinished: [...running, ...singles.unfinished].slice(0, MAX_UNFINISHED),
		},
	};
}

/**
 * Whether a page shows anything that this state knows, which means that it is of the same
 * workspace.
 */
export const knowsAny = ({ seen = [], unfinished = [] }: PollState, ids: string[]): boolean =>
	ids.some((id) => seen.includes(hashOf(id)) || unfinished.includes(id));
