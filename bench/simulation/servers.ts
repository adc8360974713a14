import { oursListing, oursTold } from './clients/ours';
import type { Counting } from '../../testing/modelService/requestLimit';
import { share } from './sharing';
import { LOADS, simulate } from './simulate';
import type { Figure } from '../report/table';

const SEEDS = [undefined, 1, 2, 3, 4, 5];

async function refusals(
	window: Counting,
	burst?: number,
): Promise<{ refused: number; requests: number }> {
	const sum = { refused: 0, requests: 0 };
	for (const client of [oursListing, oursTold]) {
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
		const isTarget = window !== 'bucket';
		figures.push({
			name: `429s alone, ${name}`,
			value: String(refused),
			target: isTarget ? '0' : '–',
			isMet: !isTarget || refused === 0,
			note: `of ${requests} requests`,
		});
	}
	return figures;
}

/** Three processes that share a key, 100 jobs each. */
export async function sharing(): Promise<Figure[]> {
	const figures: Figure[] = [];
	for (const seconds of [30, 120]) {
		const all = [];
		for (const seed of SEEDS) all.push(await share(3, { jobs: 100, seconds }, seed));
		const ratio = Math.max(...all.map((each) => each.ratio));
		const part = Math.max(...all.map(({ refused, requests }) => refused / requests));
		const lost = all.reduce((sum, each) => sum + each.lost, 0);
		const note = `d = ${seconds}, fixed and five seeds ± 20 %, the worst`;
		figures.push(
			{
				name: 'three processes share a key: jobs not completed',
				value: String(lost),
				target: '0',
				isMet: lost === 0,
				note,
			},
			{
				name: 'their makespan / bound',
				value: ratio.toFixed(3),
				target: '≤ 1.25',
				isMet: ratio <= 1.25,
				note,
			},
			{
				name: 'their requests that get 429',
				value: `${(part * 100).toFixed(1)} %`,
				target: '≤ 10 %',
				isMet: part <= 0.1,
				note,
			},
		);
	}
	return figures;
}
