import type { Counting } from '../../test/model/modelService/requestLimit';
import { atMost, figureTable, mean, sum, table, type Figure } from '../table';
import { oursListing, oursWithEvents } from './clients/ours';
import { shareSixTimes, type Shared, type Sharing } from './sharing';
import { LOADS, simulate, type Outcome } from './simulate';

/** How a server may count a minute. */
const WINDOWS: Counting[] = ['sliding', 'fixed', 'bucket'];

/** 429s when we are the only client. */
async function alone(window: Counting): Promise<Figure> {
	const outcomes: Outcome[] = [];
	for (const client of [oursListing, oursWithEvents])
		for (const load of [...LOADS, { jobs: 500, seconds: 2 }])
			for (const seed of [undefined, 1, 2, 3])
				outcomes.push(await simulate(client, load, seed, { window }));
	const refused = sum(outcomes.map((each) => each.refused));
	const note = `of ${sum(outcomes.map((each) => each.requests))} requests`;
	return atMost(`429s alone, ${window} window`, refused, 0, { digits: 0, note });
}

const PROCESSES = [2, 3, 4, 8];
const SECONDS = [4, 8, 15, 30, 60];
/** Of each process. */
const JOBS = 50;

type Load = Pick<Sharing, 'processes' | 'seconds' | 'hasForeign'>;

/** What processes share a key for. */
const SHARED_LOADS: Load[] = [false, true].flatMap((hasForeign) =>
	PROCESSES.flatMap((processes) => SECONDS.map((seconds) => ({ processes, seconds, hasForeign }))),
);

type Run = Load & Shared;

async function sharing(load: Load): Promise<Run[]> {
	const outcomes = await shareSixTimes({ ...load, jobs: JOBS });
	return outcomes.map((outcome) => ({ ...load, ...outcome }));
}

const refused = (run: Run) => (100 * run.refused) / run.requests;
const overBound = ({ makespan, bound }: Run) => makespan / bound;
const unfairness = (run: Run) => run.unfairness;

const meanOf = (runs: Run[], of: (run: Run) => number) => mean(runs.map(of));

const byDuration = (runs: Run[], of: (run: Run) => number, digits: number) =>
	SECONDS.map((d) =>
		meanOf(
			runs.filter(({ seconds }) => seconds === d),
			of,
		).toFixed(digits),
	).join(', ');

/** What two to four processes may take, by the mean and by the worst duration of jobs. */
function goalsOfFew(name: string, runs: Run[]): Figure[] {
	const ofDurations = SECONDS.map((d) =>
		meanOf(
			runs.filter(({ seconds }) => seconds === d),
			overBound,
		),
	);
	return [
		atMost(`${name}: time over the bound`, meanOf(runs, overBound), 1.25),
		atMost(`${name}: the same, worst d`, Math.max(...ofDurations), 1.4),
		atMost(`${name}: slowest over fastest`, meanOf(runs, unfairness), 1.3),
	];
}

const SHARED_COLUMNS = [
	'processes',
	'refused',
	'worst run',
	`by d = ${SECONDS.join(', ')}`,
	'time over the bound',
	'by d',
	'slowest / fastest',
	'requests a job',
	'lost',
];

const sharedRow = (name: string, runs: Run[]): string[] => [
	name,
	`${meanOf(runs, refused).toFixed(1)} %`,
	`${Math.max(...runs.map(refused)).toFixed(1)} %`,
	byDuration(runs, refused, 0),
	meanOf(runs, overBound).toFixed(2),
	byDuration(runs, overBound, 2),
	meanOf(runs, unfairness).toFixed(2),
	(sum(runs.map(({ requests }) => requests)) / sum(runs.map(({ jobs }) => jobs))).toFixed(1),
	String(sum(runs.map(({ lost }) => lost))),
];

/** Refusals alone, and processes that share one workspace. */
export async function limits(): Promise<string> {
	const refusals: Figure[] = [];
	for (const window of WINDOWS) refusals.push(await alone(window));
	const loads: Run[][] = [];
	for (const load of SHARED_LOADS) loads.push(await sharing(load));
	const all = loads.flat();
	const own = all.filter(({ hasForeign }) => !hasForeign);
	const beside = all.filter(({ hasForeign }) => hasForeign);
	const ownOf = (count: number) => own.filter(({ processes }) => processes === count);
	const goals = [
		...[2, 3, 4].flatMap((count) => goalsOfFew(`${count} processes`, ownOf(count))),
		atMost('8 processes: time over the bound', meanOf(ownOf(8), overBound), 1.2),
		atMost('with a foreign client: time over the bound', meanOf(beside, overBound), 1.2),
		atMost('requests refused, mean', meanOf(all, refused), 10, { digits: 1, unit: ' %' }),
		atMost('items lost', sum(all.map(({ lost }) => lost)), 0, { digits: 0 }),
	];
	return [
		figureTable('Limits alone', refusals),
		figureTable('Several processes: the goals', goals),
		table(`Several processes, ${JOBS} jobs each, d ± 20 %`, SHARED_COLUMNS, [
			...PROCESSES.map((count) => sharedRow(String(count), ownOf(count))),
			sharedRow('with a foreign client', beside),
			sharedRow('all', all),
		]),
	].join('\n');
}
