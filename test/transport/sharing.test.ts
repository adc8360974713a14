import { shareAsWorkers, shareSixTimes, type Shared } from '../../bench/simulation/sharing';
import { Workspace } from '../../src/transport/workspace';
import type { Send } from '../../src/base/types';
import { answer, LOST } from '../model/answers';
import { ModelService, type ServiceSettings } from '../model/modelService';
import { seeded } from '../model/random';
import { createJob, hostWith, PLAN, runAll } from '../model/run';
import { VirtualClock } from '../model/virtualClock';

const MINUTE = 60_000;

/** Begun anew for each case. */
let random = seeded(7);
beforeEach(() => {
	random = seeded(7);
});

/** Lengths of jobs around this one, in ms. */
const about = (ms: number) => () => ms * (0.8 + 0.4 * random());

interface Case {
	/** Processes of n8n that know nothing of each other. */
	processes?: number;
	/** Of each process, all started at once as n8n does. */
	items: number;
	service: Partial<ServiceSettings>;
	/** How much of all requests is answered with 429 at most. */
	refused: number;
	/** How long all take at most, in ms. */
	withinMs: number;
}

test.each<[string, Case]>([
	[
		'one process, with jobs of all lengths, is never refused',
		{ items: 100, service: { jobMs: about(16_000) }, refused: 0, withinMs: 7 * MINUTE },
	],
	[
		'one process uses the five allowed jobs almost all the time',
		{ items: 50, service: { jobMs: () => MINUTE }, refused: 0, withinMs: 11.5 * MINUTE },
	],
	[
		'a plan with fewer slots than the credential says is found out by refusals',
		{ items: 20, service: { concurrentJobs: 1 }, refused: 0.1, withinMs: 1.4 * 20 * 8_000 },
	],
	[
		'a word of its own for a job that runs is learned from the first one that has ended',
		{
			items: 40,
			service: { concurrentJobs: 3, runs: 'processing', jobMs: () => 20_000 },
			refused: 0.1,
			withinMs: 6 * MINUTE,
		},
	],
	[
		'a list without an answer says nothing of what others do',
		{
			processes: 2,
			items: 20,
			refused: 0.3,
			withinMs: 10 * MINUTE,
			service: {
				fault: ({ path }) => (path === '/generations' && random() < 0.3 ? 'error' : undefined),
			},
		},
	],
	[
		'three processes share the requests of a minute and the slots, where refused requests count too',
		{
			processes: 3,
			items: 30,
			refused: 0.17,
			withinMs: 10 * MINUTE,
			service: { countsRefused: true, jobMs: about(4_000) },
		},
	],
])('%s', async (_, { processes = 1, items, service, refused, withinMs }) => {
	const clock = new VirtualClock();
	// Whoever keeps to a sliding minute keeps to a fixed one and to a bucket of tokens.
	const model = new ModelService(clock, { latencyMs: 250, jobMs: () => 8_000, ...service });
	const began = clock.now();
	const runs = Array.from({ length: processes }, async (_, process) => {
		const name = `process ${process}`;
		const workspace = new Workspace(PLAN, clock, seeded(process));
		const host = hostWith(model.send, {}, name);
		const partsOf = (item: number) => ({
			host,
			workspace,
			prompt: `${name}, item ${item}`,
			nodeMemory: { runId: name, items: {} },
		});
		return await runAll(items, partsOf, createJob);
	});
	const results = (await clock.run(Promise.all(runs))).flat();
	expect(results.filter(({ ok }) => !ok)).toEqual([]);
	expect(model.jobs).toHaveLength(processes * items);
	expect(model.count(429) / model.log.length).toBeLessThanOrEqual(refused);
	expect(clock.now() - began).toBeLessThan(withinMs);
	await clock.pass(10 * MINUTE);
	expect(clock.sleeping).toBe(0);
});

describe('processes that know nothing of each other share slots and requests', () => {
	const meanOf = (runs: Shared[], of: (run: Shared) => number) =>
		runs.reduce((sum, run) => sum + of(run), 0) / runs.length;
	const overBound = ({ makespan, bound }: Shared) => makespan / bound;

	// The goals of docs/performance.md, by the loads of `npm run bench -- sharing`.
	test.each([
		{ processes: 2, atAnyDuration: 1.4, unfair: 1.3 },
		// The goals are 1.4 and 1.3 for these too; docs/performance.md says what they are given up for.
		{ processes: 3, atAnyDuration: 1.45, unfair: 1.38 },
		{ processes: 4, atAnyDuration: 1.4, unfair: 1.46 },
	])('%p', async ({ processes, atAnyDuration, unfair }) => {
		const byDuration: Shared[][] = [];
		for (const seconds of [4, 8, 15, 30, 60])
			byDuration.push(await shareSixTimes({ processes, seconds, hasForeign: false, jobs: 50 }));
		const runs = byDuration.flat();
		expect(runs.filter(({ lost }) => lost > 0)).toEqual([]);
		expect(meanOf(runs, overBound)).toBeLessThanOrEqual(1.25);
		for (const each of byDuration)
			expect(meanOf(each, overBound)).toBeLessThanOrEqual(atAnyDuration);
		expect(meanOf(runs, ({ unfairness }) => unfairness)).toBeLessThanOrEqual(unfair);
	});

	test.each([
		{ processes: 8, seconds: 8, hasForeign: false, time: 1.25, unfair: 1.9 },
		{ processes: 2, seconds: 8, hasForeign: true, time: 1.3, unfair: 1.3 },
	])('%p', async ({ processes, seconds, hasForeign, time, unfair }) => {
		const runs = await shareSixTimes({ processes, seconds, hasForeign, jobs: 50 });
		expect(runs.filter(({ lost }) => lost > 0)).toEqual([]);
		expect(meanOf(runs, overBound)).toBeLessThanOrEqual(time);
		expect(meanOf(runs, ({ unfairness }) => unfairness)).toBeLessThanOrEqual(unfair);
	});
});

test('a worker that begins while another has all slots is not held to half of them once that has ended', async () => {
	const runs = await shareAsWorkers();
	const bound = 64;
	const over = runs.map(({ makespan }) => makespan / bound).sort((one, other) => one - other);
	expect(runs.filter(({ lost }) => lost > 0)).toEqual([]);
	expect(over.reduce((sum, each) => sum + each, 0) / over.length).toBeLessThanOrEqual(1.4);
	// With the half for a minute, the median is 1.64.
	expect(over[Math.floor(0.9 * over.length) - 1]).toBeLessThanOrEqual(1.5);
});

describe('50 jobs of 8 s are made within minutes although', () => {
	const others = Array.from({ length: 5 }, (_, index) => ({
		id: `theirs_${index}`,
		object: 'generation',
		status: 'queued',
	}));

	async function minutesOf(distort: (send: Send, now: () => number) => Send): Promise<number> {
		const clock = new VirtualClock();
		const model = new ModelService(clock, { latencyMs: 250, jobMs: () => 8_000 });
		const began = clock.now();
		const host = hostWith(distort(model.send, () => clock.now() - began));
		const workspace = new Workspace(PLAN, clock, seeded(1));
		const nodeMemory = { runId: 'run', items: {} };
		const partsOf = (item: number) => ({
			host,
			workspace,
			prompt: `item ${item}`,
			nodeMemory,
		});
		const results = await clock.run(runAll(50, partsOf, createJob));
		expect(results.every(({ ok }) => ok)).toBe(true);
		return (clock.now() - began) / MINUTE;
	}

	const isList = ({ method, path }: { method: string; path: string }) =>
		method === 'GET' && path === '/generations';

	const withOthers = async (send: Send, request: Parameters<Send>[0]) => {
		const given = await send(request);
		if (!isList(request) || !('status' in given)) return given;
		const { data } = given.body as { data: unknown[] };
		return answer(200, { object: 'list', data: [...data, ...others] });
	};

	test('lists show five dead jobs as running for ever', async () => {
		const minutes = await minutesOf((send) => async (request) => await withOthers(send, request));
		expect(minutes).toBeLessThanOrEqual(4);
	});

	test('lists that have shown five jobs of others are not answered any more', async () => {
		const minutes = await minutesOf((send, now) => async (request) => {
			if (now() > 5_000 && isList(request)) return LOST;
			return await withOthers(send, request);
		});
		expect(minutes).toBeLessThanOrEqual(4);
	});
});
