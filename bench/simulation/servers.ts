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

/**
 * Processes that share a key: how much later each begins than the one before, how many jobs of which
 * duration each has, and the most they may take. Short runs scatter more, so they have more seeds.
 */
const SHARED = [
	{ name: 'two processes', count: 2, laterMs: 0, jobs: 20, seconds: 8, most: 1.35, seeds: 60 },
	// As in life: who comes later finds all slots taken.
	{
		name: 'two, 1 s apart,',
		count: 2,
		laterMs: 1_000,
		jobs: 20,
		seconds: 8,
		most: 1.35,
		seeds: 60,
	},
	{ name: 'two processes', count: 2, laterMs: 0, jobs: 50, seconds: 30, most: 1.12, seeds: 10 },
	{ name: 'three processes', count: 3, laterMs: 0, jobs: 100, seconds: 30, most: 1.1, seeds: 10 },
	{ name: 'three processes', count: 3, laterMs: 0, jobs: 100, seconds: 120, most: 1.05, seeds: 10 },
];

/** Most of the requests that may get 429. */
const MOST_REFUSED = 0.04;

/** Processes that know nothing of each other use one workspace. */
export async function sharing(): Promise<Figure[]> {
	const figures: Figure[] = [];
	for (const { name, count, laterMs, jobs, seconds, most, seeds } of SHARED) {
		const all: Shared[] = [];
		for (let seed = 1; seed <= seeds; seed += 1)
			all.push(await share(count, { jobs, seconds }, seed, undefined, laterMs));
		const sum = (of: (each: Shared) => number) =>
			all.reduce((before, each) => before + of(each), 0);
		const ratio = sum((each) => each.ratio) / all.length;
		const worst = Math.max(...all.map((each) => each.ratio));
		const refused = sum((each) => each.refused) / sum((each) => each.requests);
		const lost = sum((each) => each.lost);
		const demand = sum((each) => each.requests) / (all.length * count * jobs);
		figures.push(
			{
				name: `${name} on one workspace, ${jobs} jobs each, d = ${seconds} ± 20 %: makespan / bound`,
				value: ratio.toFixed(3),
				target: `≤ ${most}`,
				isMet: ratio <= most && lost === 0,
				note: `mean of ${seeds} seeds, the worst ${worst.toFixed(2)}; ${demand.toFixed(1)} requests a job; ${lost} jobs not completed`,
			},
			{
				name: 'their requests that get 429',
				value: `${(refused * 100).toFixed(1)} %`,
				target: `≤ ${MOST_REFUSED * 100} %`,
				isMet: refused <= MOST_REFUSED,
				note: 'the same seeds',
			},
		);
	}
	return figures;
}
