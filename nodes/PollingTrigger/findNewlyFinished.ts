import { jobState } from '../../src/transport/jobs/jobState';
import type { Resource } from '../../src/transport/base/types';
import { markOf, MOST_OPEN, MOST_SEEN, type PollState } from './state';
import { walk, type ReadPage, type Walk } from './walk';

/** Unfinished generations that the pages did not show are read one by one, so many a look; the rest have their turn later. */
const SINGLES_A_LOOK = 5;

export interface Reader {
	page: ReadPage;
	/** A generation as it is now; `gone` when there is none, `undefined` when that cannot be told at the moment. */
	one(id: string): Promise<Resource | 'gone' | undefined>;
}

export interface Look {
	/** Finished since the last look, the newest last as far as the list tells; none twice. */
	finished: Resource[];
	state: PollState;
	/** False when more came than a look can read. */
	complete: boolean;
}

const isFinished = (job: Resource): boolean =>
	jobState({ ...job, object: 'generation' }) !== 'running';

/** The unfinished ones that the pages did not show: they lie deeper than what was read. */
async function readSingles(reader: Reader, ids: string[]) {
	const finished: Resource[] = [];
	const still: string[] = [];
	for (const id of ids.slice(0, SINGLES_A_LOOK)) {
		const now = await reader.one(id);
		if (now === 'gone') continue;
		if (now && isFinished(now)) finished.push({ ...now, id });
		else still.push(id);
	}
	return { finished, open: [...ids.slice(SINGLES_A_LOOK), ...still] };
}

function unique(marks: string[]): string[] {
	return [...new Set(marks)].slice(0, MOST_SEEN);
}

/** Finished ones of a walk, the newest first. */
function newestFirst({ entries, order }: Walk): Resource[] {
	const finished = [...entries.values()].filter(isFinished);
	return order === 'oldest' ? finished.reverse() : finished;
}

/**
 * One look at the generations of a workspace: what has finished since the last one, each exactly once. It knows no time of
 * creation or end (specification: Generation), so it remembers what it has seen finished and what was not finished. The first
 * look only notes. Throws what the reader throws; the state is then to be left as it was, so that nothing is lost.
 */
export async function look(reader: Reader, state: PollState): Promise<Look> {
	const first = state.settled !== true;
	const seen = new Set(state.seen);
	const open = new Set(state.open);
	const walked = await walk(reader.page, {
		order: state.order,
		start: state.start,
		first,
		isKnown: (id) => seen.has(markOf(id)) || open.has(id),
		isFinished,
	});
	const { entries, order, start, complete } = walked;
	const hidden = [...open].filter((id) => !entries.has(id));
	const singles = await readSingles(reader, hidden);
	const listed = newestFirst(walked);
	const isNew = ({ id }: Resource) => !seen.has(markOf(id));
	const fresh = [...listed, ...singles.finished].filter(isNew);
	const running = [...entries.values()].filter((job) => !isFinished(job)).map(({ id }) => id);
	const marks = [...listed, ...singles.finished].map(({ id }) => markOf(id));
	return {
		finished: first ? singles.finished.filter(isNew) : fresh.reverse(),
		complete,
		state: {
			...(order && { order }),
			...(start !== undefined && { start }),
			// A list with the oldest first has to be read to its end before anything in it is news.
			settled: !first || complete || order === 'newest',
			seen: unique([...marks, ...(state.seen ?? [])]),
			open: [...running, ...singles.open].slice(0, MOST_OPEN),
		},
	};
}

/** Whether a page shows anything that this state knows: then it speaks of the same workspace. */
export const knowsAny = ({ seen = [], open = [] }: PollState, ids: string[]): boolean =>
	ids.some((id) => seen.includes(markOf(id)) || open.includes(id));
