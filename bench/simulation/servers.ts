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

type SharedLoad = Pick<Sharing, 'processes' | 'seconds' | 'hasForeign'>;

/** The loads that share a key, with 50 jobs of each process. */
const SHARED_LOADS: SharedLoad[] = [false, true].flatMap((hasForeign) =>
	[2, 3, 4, 8].flatMap((processes) =>
		[4, 8, 15, 30, 60].map((seconds) => ({ processes, seconds, hasForeign })),
	),
);
const JOBS = 50;

/** Six runs of a load, in what may matter beside it: each way to count twice, and each of the rest three times. */
async function sharing(load: SharedLoad): Promise<Shared[]> {
	const outcomes: Shared[] = [];
	for (const index of [0, 1, 2, 3, 4, 5]) {
		const circumstances = {
			window: WINDOWS[index % 3]!,
			apartMs: index < 3 || load.hasForeign ? 0 : 10_000,
			namesRetryAfter: index % 2 === 0,
			countsRefused: [0, 1, 5].includes(index),
		};
		outcomes.push(await share({ ...load, jobs: JOBS, ...circumstances }, 1 + (index % 3)));
	}
	return outcomes;
}

const refusedOf = ({ refused, requests }: Shared) => (100 * refused) / requests;
const overBound = ({ makespan, bound }: Shared) => makespan / bound;

/** The figures of several loads in one row. */
function sharedRow(name: string, outcomes: Shared[]): string[] {
	const refused = outcomes.map(refusedOf);
	const requests = sum(outcomes.map((each) => each.requests));
	return [
		name,
		`${mean(refused).toFixed(1)} %`,
		`${Math.max(...refused).toFixed(1)} %`,
		mean(outcomes.map(overBound)).toFixed(2),
		mean(outcomes.map(({ unfairness }) => unfairness)).toFixed(2),
		(requests / sum(outcomes.map(({ jobs }) => jobs))).toFixed(2),
		String(sum(outcomes.map(({ lost }) => lost))),
	];
}

const SHARED_COLUMNS = [
	'processes x jobs, ± 20 %',
	'refused',
	'worst run',
	'time over the bound',
	'slowest / fastest',
	'requests a job',
	'lost',
];

/** Refusals alone, and processes that share one workspace. */
export async function limits(): Promise<string> {
	const refusals: Figure[] = [];
	for (const window of WINDOWS) refusals.push(await alone(window));
	const shared: Shared[][] = [];
	for (const load of SHARED_LOADS) shared.push(await sharing(load));
	const rows = SHARED_LOADS.map(({ processes, seconds, hasForeign }, index) => {
		const beside = hasForeign ? ', and a foreign client' : '';
		return sharedRow(`${processes} x ${JOBS}, d = ${seconds}${beside}`, shared[index]!);
	});
	const beside = (hasForeign: boolean) =>
		shared.filter((_, index) => SHARED_LOADS[index]!.hasForeign === hasForeign).flat();
	const all = shared.flat();
	const meanOf = (of: (one: Shared) => number) => mean(all.map(of));
	const worst = Math.max(...shared.map((outcomes) => mean(outcomes.map(refusedOf))));
	const percent = { digits: 1, unit: ' %' };
	const goals = [
		atMost('requests refused, mean', meanOf(refusedOf), 10, percent),
		atMost('requests refused, worst load', worst, 15, percent),
		atMost('time over the bound with polling, mean', meanOf(overBound), 1.35),
		atMost(
			'slowest process over the fastest, mean',
			meanOf(({ unfairness }) => unfairness),
			1.5,
		),
		atMost('items lost', sum(all.map(({ lost }) => lost)), 0, { digits: 0 }),
	];
	return [
		figureTable('Limits alone', refusals),
		figureTable('Several processes, all loads', goals),
		table('Several processes', SHARED_COLUMNS, [
			...rows,
			sharedRow('all without a foreign client', beside(false)),
			sharedRow('all beside a foreign client', beside(true)),
		]),
	].join('\n');
}
