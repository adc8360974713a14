/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import type { Counting } from '../../testing/modelService/requestLimit';
import { seeded } from '../../testing/random';
import { VirtualClock } from '../../testing/virtualClock';
import { atMost, mean, type Figure } from '../table';
import { ours, oursListing, oursWithEvents } from './clients/ours';
import { answer, inProcesses } from './processes';
import { bound, LOADS, outcomeOf, serviceFor, simulate, type Load, type Outcome } from './simulate';

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

/**
 * Processes that share a key: how much later each begins than the one before, how many jobs of which
 * duration each has, and the most they may take. Short runs scatter more, so they have more seeds.
 */
const SHARED = [
	{ name: '2 x 20, d = 8', count: 2, laterMs: 0, jobs: 20, seconds: 8, most: 1.43, seeds: 30 },
	{
		name: '2 x 20, d = 8, 1 s apart',
		count: 2,
		laterMs: 1_000,
		jobs: 20,
		seconds: 8,
		most: 1.43,
		seeds: 30,
	},
	{ name: '2 x 50, d = 30', count: 2, laterMs: 0, jobs: 50, seconds: 30, most: 1.12, seeds: 20 },
	{ name: '3 x 100, d = 30', count: 3, laterMs: 0, jobs: 100, seconds: 30, most: 1.1, seeds: 10 },
	{ name: '3 x 100, d = 120', count: 3, laterMs: 0, jobs: 100, seconds: 120, most: 1.1, seeds: 10 },
];

/** Percent of the requests that may get 429. */
const MOST_REFUSED = 10;

/** Processes that use one key and know nothing of each other. */
async function share(count: number, load: Load, seed: number, laterMs: number): Promise<Outcome> {
	const clock = new VirtualClock();
	const service = serviceFor(load, clock, seed);
	const start = clock.now();
	const all = Array.from({ length: count }, async (_, index) => {
		const random = seeded(seed * 100 + index + 7);
		if (index > 0) await clock.sleep(index * laterMs);
		return await ours({ clock, service, random, jobs: load.jobs }, `process ${index}`);
	});
	const lost = (await clock.run(Promise.all(all))).reduce((sum, each) => sum + each, 0);
	return outcomeOf(service, clock, start, lost);
}

/** Several processes of n8n on one workspace: processes x jobs of each. */
async function sharing(shared: (typeof SHARED)[number]): Promise<Figure[]> {
	const { name, count, laterMs, jobs, seconds, most, seeds } = shared;
	const outcomes: Outcome[] = [];
	for (let seed = 1; seed <= seeds; seed += 1)
		outcomes.push(await share(count, { jobs, seconds }, seed, laterMs));
	const least = bound({ jobs: jobs * count, seconds });
	const ratios = outcomes.map(({ makespan }) => makespan / least);
	const of = (what: keyof Outcome) => mean(outcomes.map((outcome) => outcome[what]));
	const note = `mean of ${seeds} seeds, the worst ${Math.max(...ratios).toFixed(2)}; ${(of('requests') / count / jobs).toFixed(1)} requests a job; ${of('lost') * seeds} jobs given up`;
	const refused = (of('refused') / of('requests')) * 100;
	return [
		atMost(`${name} ± 20 %: time over the bound`, mean(ratios), most, { digits: 3, note }),
		atMost('their requests that get 429', refused, MOST_REFUSED, { digits: 1, unit: ' %' }),
	];
}

const TASKS = [
	...SHARED.map((shared) => async () => await sharing(shared)),
	async () => await alone('sliding'),
	async () => await alone('fixed'),
];

/** Refusals alone, and processes that share one workspace. */
export const limits = async (): Promise<Figure[]> =>
	(await inProcesses<Figure[]>(__filename, TASKS.length)).flat();

void answer(module, async (task) => await TASKS[task]?.());
