import { oursListing, oursWithEvents } from './clients/ours';
import type { Counting } from '../../testing/modelService/requestLimit';
import { share, type Shared } from './sharing';
import { LOADS, simulate } from './simulate';
import type { Figure } from '../report/table';

const SEEDS = [undefined, 1, 2, 3, 4, 5];

async function refusals(
	window: Counting,
	burst?: number,
): Promise<{ refused: number; requests: number }> {
	const sum = { refused: 0, requests: 0 };
	for (const client of [oursListing, oursWithEvents]) {
		for (const load of [...LOADS, { jobs: 500, seconds: 2 }]) {
			for (const seed of SEEDS) {
				const { refused, requests } = await simulate(client, load, seed, { window, burst });
				sum.refused += refused;
				sum.requests += requests;
			}
		}
	}
	return sum;
}

/** 429s when we are the only client, however the server counts a minute. */
export async function alone(): Promise<Figure[]> {
	const kinds: Array<[string, Counting, number?]> = [
		['sliding window', 'sliding'],
		['fixed window', 'fixed'],
		['token bucket of 60', 'bucket'],
		['token bucket of 30', 'bucket', 30],
	];
	const figures: Figure[] = [];
	for (const [name, window, burst] of kinds) {
		const { refused, requests } = await refusals(window, burst);
		// A bucket that holds less than a minute's requests shows only by refusing.
		const most = burst === undefined ? 0 : 20;
		figures.push({
			name: `429s alone, ${name}`,
			value: String(refused),
			target: most === 0 ? '0' : `≤ ${most}`,
			isMet: refused <= most,
			note: `of ${requests} requests`,
		});
	}
	return figures;
}

/** Processes that share a key, how many jobs of which duration each has, and the most they may take. */
const SHARED = [
	{ name: 'two processes', processes: 2, jobs: 20, seconds: 8, most: 1.35 },
	{ name: 'two processes', processes: 2, jobs: 50, seconds: 30, most: 1.12 },
	{ name: 'three processes', processes: 3, jobs: 100, seconds: 30, most: 1.1 },
	{ name: 'three processes', processes: 3, jobs: 100, seconds: 120, most: 1.05 },
];

const SHARED_SEEDS = 20;

/** Most of the requests that may get 429. */
const MOST_REFUSED = 0.04;

/** Processes that know nothing of each other use one workspace. */
export async function sharing(): Promise<Figure[]> {
	const figures: Figure[] = [];
	for (const { name, processes, jobs, seconds, most } of SHARED) {
		const all: Shared[] = [];
		for (let seed = 1; seed <= SHARED_SEEDS; seed += 1)
			all.push(await share(processes, { jobs, seconds }, seed));
		const sum = (of: (each: Shared) => number) =>
			all.reduce((before, each) => before + of(each), 0);
		const ratio = sum((each) => each.ratio) / all.length;
		const worst = Math.max(...all.map((each) => each.ratio));
		const refused = sum((each) => each.refused) / sum((each) => each.requests);
		const lost = sum((each) => each.lost);
		const demand = sum((each) => each.requests) / (all.length * processes * jobs);
		figures.push(
			{
				name: `${name} on one workspace, ${jobs} jobs each, d = ${seconds} ± 20 %: makespan / bound`,
				value: ratio.toFixed(3),
				target: `≤ ${most}`,
				isMet: ratio <= most && lost === 0,
				note: `mean of ${SHARED_SEEDS} seeds, the worst ${worst.toFixed(2)}; ${demand.toFixed(1)} requests a job; ${lost} jobs not completed`,
			},
			{
				name: 'their requests that get 429',
				value: `${(refused * 100).toFixed(1)} %`,
				target: `≤ ${MOST_REFUSED * 100} %`,
				isMet: refused <= MOST_REFUSED,
				note: `the same ${SHARED_SEEDS} seeds`,
			},
		);
	}
	return figures;
}
