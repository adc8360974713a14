import { Run } from '../../src/run/run';
import { Workspace } from '../../src/service/workspace';
import { answer } from '../model/answers';
import { ModelService, type ServiceSettings } from '../model/modelService';
import { seeded } from '../model/random';
import { createJob, hostWith, PLAN, runOf } from '../model/run';
import { VirtualClock } from '../model/virtualClock';
import type { Send } from '../../src/base/types';

const MINUTE = 60_000;

interface Given {
	workspace?: Workspace;
	send?: Send;
	waitTimeoutMs?: number;
}

/** A service in virtual time, and processes of n8n that know nothing of each other. */
function setUp(settings: Partial<ServiceSettings> = {}) {
	const clock = new VirtualClock();
	const service = new ModelService(clock, { latencyMs: 250, jobMs: () => 8_000, ...settings });
	let runs = 0;
	/** Items of one run, in a process of its own unless a workspace is given, all started at once as n8n does. */
	const run = async (
		count: number,
		{ workspace = new Workspace(PLAN, clock, seeded(runs + 1)), ...given }: Given = {},
	) => {
		const { send = service.send, waitTimeoutMs = 30 * MINUTE } = given;
		runs += 1;
		const name = `run ${runs}`;
		const host = hostWith(send, {}, name);
		const run = new Run(count, false);
		const items = Array.from({ length: count }, async (_, itemIndex) => {
			const node = { runId: name, items: {} };
			const prompt = `${name} ${itemIndex}`;
			const own = { host, workspace, run, itemIndex, node, prompt };
			return await createJob(runOf({ ...own, settings: { waitTimeoutMs } }));
		});
		return await Promise.all(items);
	};
	return { clock, service, run };
}

describe('one process', () => {
	test.each(['sliding', 'fixed', 'bucket'] as const)(
		'makes 100 jobs of all lengths without a refusal, where the service counts a %s window',
		async (window) => {
			const random = seeded(7);
			const jobMs = () => 5_000 + random() * 22_000;
			const { clock, service, run } = setUp({ window, jobMs });
			const results = await clock.run(run(100));
			expect(results.every(({ ok }) => ok)).toBe(true);
			expect(service.jobs).toHaveLength(100);
			expect(service.count(429)).toBe(0);
		},
	);

	test('makes a single image of another execution beside a run of 200', async () => {
		const { clock, service, run } = setUp({ jobMs: () => 10_000 });
		const workspace = new Workspace(PLAN, clock, seeded(1));
		const began = clock.now();
		const long = run(200, { workspace });
		await clock.pass(30_000);
		expect(await clock.run(run(1, { workspace }))).toMatchObject([{ ok: true }]);
		expect(clock.now() - began).toBeLessThan(3 * MINUTE);
		await clock.run(long);
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

/** Another client that has all slots at every moment: a new job in the moment in which one ends. */
function keepBusy({ clock, service }: ReturnType<typeof setUp>) {
	let made = 0;
	const lane = async () => {
		for (;;) {
			made += 1;
			const body = { mode: 'image', model: 'm', prompt: `other ${made}` };
			await service.send({ method: 'POST', path: '/generations', body });
			await clock.sleep(7_750);
		}
	};
	for (let slot = 0; slot < 5; slot += 1) void lane();
}

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

test('where another client has all slots all the time, a creation fails after half an hour, and says how many jobs others run', async () => {
	const set = setUp({ requestsPerMinute: 600 });
	keepBusy(set);
	const began = set.clock.now();
	const [result] = await set.clock.run(set.run(1, { waitTimeoutMs: 24 * 60 * MINUTE }));
	expect(result).toMatchObject({ failure: { kind: 'noSlot', others: 5 } });
	expect(set.clock.now() - began).toBeLessThanOrEqual(31 * MINUTE);
	expect(set.service.jobs.every(({ prompt }) => prompt.startsWith('other'))).toBe(true);
});

test('two processes make all their jobs where half of all lists get no answer: a list without one says nothing', async () => {
	const { clock, service, run } = setUp();
	const random = seeded(3);
	const send: Send = async (request) => {
		const isList = request.method === 'GET' && request.path === '/generations';
		return isList && random() < 0.5 ? answer(503) : await service.send(request);
	};
	const results = (await clock.run(Promise.all([run(20, { send }), run(20, { send })]))).flat();
	expect(results.every(({ ok }) => ok)).toBe(true);
	expect(service.jobs).toHaveLength(40);
});

test.each([
	[3, 4_000, 'sliding'],
	[4, 8_000, 'fixed'],
	[8, 15_000, 'bucket'],
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
