import { Workspace } from '../../src/service/workspace';
import { answer } from '../model/answers';
import { ModelService, type ServiceSettings } from '../model/modelService';
import { seeded } from '../model/random';
import { createJob, hostWith, PLAN, runAll, type RunParts } from '../model/run';
import { VirtualClock } from '../model/virtualClock';
import type { Send } from '../../src/base/types';

const MINUTE = 60_000;

/** A service in virtual time, and processes of n8n that know nothing of each other. */
function setUp(settings: Partial<ServiceSettings> = {}) {
	const clock = new VirtualClock();
	const service = new ModelService(clock, { latencyMs: 250, jobMs: () => 8_000, ...settings });
	let runs = 0;
	/** Items of one run in a process of its own, all started at once as n8n does. */
	const run = async (count: number, send: Send = service.send) => {
		runs += 1;
		const workspace = new Workspace(PLAN, clock, seeded(runs));
		const name = `run ${runs}`;
		const host = hostWith(send, {}, name);
		const settings = { waitTimeoutMs: 30 * MINUTE };
		const partsOf = (itemIndex: number): RunParts => {
			const node = { runId: name, items: {} };
			return { host, workspace, node, settings, prompt: `${name} ${itemIndex}` };
		};
		return await runAll(count, partsOf, createJob);
	};
	return { clock, service, run };
}

describe('one process', () => {
	test('makes 100 jobs of all lengths without a refusal', async () => {
		const random = seeded(7);
		// Whoever keeps to a sliding minute keeps to a fixed one and to a bucket of tokens.
		const { clock, service, run } = setUp({
			window: 'sliding',
			jobMs: () => 5_000 + random() * 22_000,
		});
		const results = await clock.run(run(100));
		expect(results.every(({ ok }) => ok)).toBe(true);
		expect(service.jobs).toHaveLength(100);
		expect(service.count(429)).toBe(0);
	});

	test('uses the five allowed jobs almost all the time, and leaves no timer behind', async () => {
		const { clock, run } = setUp({ jobMs: () => 60_000 });
		const began = clock.now();
		await clock.run(run(50));
		expect(clock.now() - began).toBeLessThan((50 / 5) * MINUTE * 1.15);
		await clock.pass(10 * MINUTE);
		expect(clock.sleeping).toBe(0);
	});
});

test('a plan with fewer slots than the credential says is found out by refusals', async () => {
	const { clock, service, run } = setUp({ concurrentJobs: 1 });
	const began = clock.now();
	const results = await clock.run(run(20));
	expect(results.every(({ ok }) => ok)).toBe(true);
	const bound = 20 * 8_000;
	expect((clock.now() - began) / bound).toBeLessThan(1.4);
	// It begins with five, and tries one a minute.
	expect(service.count(429)).toBeLessThanOrEqual(5 + bound / MINUTE);
});

test('two processes make all their jobs where half of all lists get no answer: a list without one says nothing', async () => {
	const { clock, service, run } = setUp();
	const random = seeded(3);
	const send: Send = async (request) => {
		const isList = request.method === 'GET' && request.path === '/generations';
		return isList && random() < 0.5 ? answer(503) : await service.send(request);
	};
	const results = (await clock.run(Promise.all([run(20, send), run(20, send)]))).flat();
	expect(results.every(({ ok }) => ok)).toBe(true);
	expect(service.jobs).toHaveLength(40);
});

test.each([
	[3, 4_000, 'sliding'],
	[4, 8_000, 'fixed'],
] as const)(
	'%i processes with 30 jobs of %i ms each, where the service counts a %s window, refused requests included',
	async (processes, jobMs, window) => {
		const random = seeded(5);
		const { clock, service, run } = setUp({
			window,
			countsRefused: true,
			jobMs: () => jobMs * (0.8 + 0.4 * random()),
		});
		const all = Array.from({ length: processes }, async () => await run(30));
		const results = (await clock.run(Promise.all(all))).flat();
		expect(results.every(({ ok }) => ok)).toBe(true);
		const refused = service.count(429) / service.log.length;
		expect(refused).toBeLessThan(0.17);
		expect(service.log.length / results.length).toBeLessThan(3.3);
	},
);
