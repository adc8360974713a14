import type { Counting } from '../../test/model/modelService/requestLimit';
import { atMost, figureTable, mean, sum, table, type Figure } from '../table';
import { oursListing, oursWithEvents } from './clients/ours';
import { share, type Shared, type Sharing } from './sharing';
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

/** Six runs of a load, in what may matter beside it: each way to count twice, and each of the rest three times. */
async function sharing(load: Load): Promise<Run[]> {
	const runs: Run[] = [];
	for (const index of [0, 1, 2, 3, 4, 5]) {
		const circumstances = {
			window: WINDOWS[index % 3]!,
			apartMs: index < 3 || load.hasForeign ? 0 : 10_000,
			namesRetryAfter: index % 2 === 0,
			countsRefused: [0, 1, 5].includes(index),
		};
		const outcome = await share({ ...load, jobs: JOBS, ...circumstances }, 1 + (index % 3));
		runs.push({ ...load, ...outcome });
	}
	return runs;
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
	const worst = Math.max(...loads.map((runs) => meanOf(runs, refused)));
	const percent = { digits: 1, unit: ' %' };
	const goals = [
		atMost('requests refused, mean', meanOf(all, refused), 10, percent),
		atMost('requests refused, worst load', worst, 15, percent),
		atMost('time over the bound with polling, mean', meanOf(all, overBound), 1.35),
		atMost('slowest process over the fastest, mean', meanOf(all, unfairness), 1.5),
		atMost('items lost', sum(all.map(({ lost }) => lost)), 0, { digits: 0 }),
	];
	const own = all.filter(({ hasForeign }) => !hasForeign);
	const ownOf = (count: number) => own.filter(({ processes }) => processes === count);
	return [
		figureTable('Limits alone', refusals),
		figureTable('Several processes, all loads', goals),
		table(`Several processes, ${JOBS} jobs each, d ± 20 %`, SHARED_COLUMNS, [
			...PROCESSES.map((count) => sharedRow(String(count), ownOf(count))),
			sharedRow(
				'with a foreign client',
				all.filter(({ hasForeign }) => hasForeign),
			),
			sharedRow('all', all),
		]),
	].join('\n');
}
