import { allKnowing } from '../../bench/simulation/clients/allKnowing';
import { fal, openaiNode, openaiPython, replicate } from '../../bench/simulation/clients/sdk';
import { oneByOne } from '../../bench/simulation/clients/loops';
import {
	bound,
	CLIENTS,
	ideal,
	LOADS,
	serviceFor,
	simulate,
} from '../../bench/simulation/simulate';
import { seeded } from '../model/random';
import { VirtualClock } from '../model/virtualClock';

/** When the requests for one job of 12 s arrive, in seconds since the first. */
async function requestsOf(client: (typeof CLIENTS)[number]): Promise<number[]> {
	const clock = new VirtualClock();
	const service = serviceFor({ jobs: 1, seconds: 12 }, clock, undefined);
	const { send, settings } = service;
	await clock.run(client.run({ clock, send, settings, random: seeded(1), jobs: 1 }));
	const [first] = service.log;
	return service.log.map(({ at }) => (at - (first?.at ?? 0)) / 1_000);
}

describe('clients of the bench', () => {
	it.each([
		['n8n loop', oneByOne, [0, 30.25]],
		['openai-node', openaiNode, [0, 0.25, 5.5, 10.75, 16]],
		[
			'openai-python',
			openaiPython,
			[0, 0.25, ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => 0.25 + n * 1.25)],
		],
	])('%s reads a job when its source says', async (_, client, expected) => {
		expect(await requestsOf(client)).toEqual(expected);
	});

	it.each([
		['replicate', replicate, 0],
		['fal', fal, 1],
	])('%s reads a job at once and 0.5 s after each answer', async (_, client, more) => {
		const times = await requestsOf(client);
		const reads = Math.ceil((12 - 0.25) / 0.75) + 1;
		expect(times).toHaveLength(1 + reads + more);
		expect(times.slice(1, 4)).toEqual([0.25, 1, 1.75]);
	});

	it('counts a job as given up that is refused too often', async () => {
		const outcome = await simulate(replicate, { jobs: 20, seconds: 12 });
		expect(outcome.refused).toBeGreaterThan(0);
		expect(outcome.refused % 6).toBe(0);
		expect(outcome.lost).toBeGreaterThan(0);
	});
});

describe('a scheduler that knows every end at once', () => {
	const plan = { slots: 5, perMinute: 60 };

	it.each(LOADS)(
		'takes as long as the bound where all jobs take the same: $jobs, $seconds',
		(load) => {
			const { jobs, seconds } = load;
			expect(
				allKnowing(
					Array.from({ length: jobs }, () => seconds),
					plan,
				),
			).toBe(bound(load));
		},
	);

	it('waits for the window when requests are scarce', () => {
		expect(
			allKnowing(
				Array.from({ length: 61 }, () => 1),
				plan,
			),
		).toBe(61);
		expect(
			allKnowing(
				Array.from({ length: 61 }, () => 0.1),
				plan,
			),
		).toBeCloseTo(60.1);
	});

	it('is faster than every client', async () => {
		const load = { jobs: 20, seconds: 30 };
		const best = ideal(load, 3);
		for (const client of CLIENTS)
			expect((await simulate(client, load, 3)).makespan).toBeGreaterThan(best);
	});
});
