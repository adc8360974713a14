/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import type { Counting } from '../../test/model/modelService/requestLimit';
import { atMost, figureTable, mean, table, type Figure } from '../table';
import { oursListing, oursWithEvents } from './clients/ours';
import { answer, inProcesses } from './processes';
import { share, type Shared, type Sharing } from './sharing';
import { LOADS, simulate, type Outcome } from './simulate';

const ALONE_SEEDS = [undefined, 1, 2, 3];

/** 429s when we are the only client, however the server counts a minute. */
async function alone(window: Counting): Promise<Figure[]> {
	const outcomes: Outcome[] = [];
	for (const client of [oursListing, oursWithEvents])
		for (const load of [...LOADS, { jobs: 500, seconds: 2 }])
			for (const seed of ALONE_SEEDS) outcomes.push(await simulate(client, load, seed, { window }));
	const sum = (of: 'refused' | 'requests') => outcomes.reduce((all, each) => all + each[of], 0);
	const note = `of ${sum('requests')} requests`;
	return [atMost(`429s alone, ${window} window`, sum('refused'), 0, { digits: 0, note })];
}

/** Processes and seconds of the loads that share a key, with 50 jobs of each process. */
const PROCESSES = [2, 3, 4, 8];
const SECONDS = [4, 8, 15, 30, 60];
const JOBS = 50;
const SEEDS = [1, 2, 3];

/** What the design asks for: refused requests in the mean and in any load, time, fairness. */
const MOST = { refused: 10, refusedAnywhere: 15, ratio: 1.35, unfairness: 1.5 };

type Circumstances = Omit<Sharing, 'processes' | 'jobs' | 'seconds'>;

/** What may matter beside the load: each way to count twice, and each of the rest three times. */
const circumstances = (hasForeign: boolean): Circumstances[] =>
	[0, 1, 2, 3, 4, 5].map((index) => ({
		window: (['sliding', 'fixed', 'bucket'] as const)[index % 3] as Counting,
		apartMs: index < 3 || hasForeign ? 0 : 10_000,
		namesRetryAfter: index % 2 === 0,
		countsRefused: [0, 1, 5].includes(index),
		hasForeign,
	}));

async function sharing(processes: number, seconds: number, hasForeign: boolean): Promise<Shared[]> {
	const outcomes: Shared[] = [];
	for (const [index, each] of circumstances(hasForeign).entries()) {
		const seed = SEEDS[index % SEEDS.length] as number;
		outcomes.push(await share({ processes, jobs: JOBS, seconds, ...each }, seed));
	}
	return outcomes;
}

const refusedOf = ({ refused, requests }: Shared) => (100 * refused) / requests;

/** The figures of several loads in one row. */
function sharedRow(name: string, outcomes: Shared[]): string[] {
	const refused = outcomes.map(refusedOf);
	const jobs = outcomes.reduce((sum, each) => sum + each.jobs, 0);
	const requests = outcomes.reduce((sum, each) => sum + each.requests, 0);
	return [
		name,
		`${mean(refused).toFixed(1)} %`,
		`${Math.max(...refused).toFixed(1)} %`,
		mean(outcomes.map(({ makespan, bound }) => makespan / bound)).toFixed(2),
		mean(outcomes.map(({ unfairness }) => unfairness)).toFixed(2),
		(requests / jobs).toFixed(2),
		String(outcomes.reduce((sum, each) => sum + each.lost, 0)),
	];
}

const LOADS_SHARED = [false, true].flatMap((hasForeign) =>
	PROCESSES.flatMap((processes) => SECONDS.map((seconds) => ({ processes, seconds, hasForeign }))),
);

const TASKS = [
	...LOADS_SHARED.map(
		({ processes, seconds, hasForeign }) =>
			async () =>
				await sharing(processes, seconds, hasForeign),
	),
	async () => await alone('sliding'),
	async () => await alone('fixed'),
	async () => await alone('bucket'),
];

/** Refusals alone, and processes that share one workspace. */
export async function limits(): Promise<string> {
	const made = await inProcesses<Shared[] | Figure[]>(__filename, TASKS.length);
	const shared = made.slice(0, LOADS_SHARED.length) as Shared[][];
	const aloneFigures = (made.slice(LOADS_SHARED.length) as Figure[][]).flat();
	const rows = LOADS_SHARED.map(({ processes, seconds, hasForeign }, index) =>
		sharedRow(
			`${processes} x ${JOBS}, d = ${seconds}${hasForeign ? ', and a foreign client' : ''}`,
			shared[index] as Shared[],
		),
	);
	const isForeign = (index: number) => LOADS_SHARED[index]?.hasForeign === true;
	const own = shared.filter((_, index) => !isForeign(index)).flat();
	const beside = shared.filter((_, index) => isForeign(index)).flat();
	const all = [...own, ...beside];
	const goals = [
		atMost('requests refused, mean', mean(all.map(refusedOf)), MOST.refused, {
			digits: 1,
			unit: ' %',
		}),
		atMost(
			'requests refused, worst load',
			Math.max(...shared.map((outcomes) => mean(outcomes.map(refusedOf)))),
			MOST.refusedAnywhere,
			{ digits: 1, unit: ' %' },
		),
		atMost(
			'time over the bound with polling, mean',
			mean(all.map(({ makespan, bound }) => makespan / bound)),
			MOST.ratio,
		),
		atMost(
			'slowest process over the fastest, mean',
			mean(all.map(({ unfairness }) => unfairness)),
			MOST.unfairness,
		),
		atMost(
			'items lost',
			all.reduce((sum, each) => sum + each.lost, 0),
			0,
			{ digits: 0 },
		),
	];
	const head = [
		'processes x jobs, ± 20 %',
		'refused',
		'worst run',
		'time over the bound',
		'slowest / fastest',
		'requests a job',
		'lost',
	];
	return [
		figureTable('Limits alone', aloneFigures),
		figureTable('Several processes, all loads', goals),
		table('Several processes', head, [
			...rows,
			sharedRow('all without a foreign client', own),
			sharedRow('all beside a foreign client', beside),
		]),
	].join('\n');
}

void answer(module, async (task) => await TASKS[task]?.());
