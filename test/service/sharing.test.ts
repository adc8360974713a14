import { Run } from '../../src/run/run';
import { createJob } from '../../src/run/creation';
import { Workspace } from '../../src/service/workspace';
import { answer } from '../model/answers';
import { ModelService, type ServiceSettings } from '../model/modelService';
import { seeded } from '../model/random';
import { hostWith, PLAN, runOf } from '../model/run';
import { VirtualClock } from '../model/virtualClock';
import type { Send } from '../../src/base/types';

const MINUTE = 60_000;

/** A service in virtual time, and processes of n8n that know nothing of each other. */
function setUp(settings: Partial<ServiceSettings> = {}) {
	const clock = new VirtualClock();
	const service = new ModelService(clock, { latencyMs: 250, jobMs: () => 8_000, ...settings });
	let processes = 0;
	/** Items of one run in a process of its own, all started at once as n8n does. */
	const run = async (count: number, { send = service.send, waitTimeoutMs = 30 * MINUTE } = {}) => {
		processes += 1;
		const name = `process ${processes}`;
		const workspace = new Workspace(PLAN, clock, seeded(processes));
		const run = new Run(count, false);
		const items = Array.from({ length: count }, async (_, itemIndex) => {
			const host = hostWith(send);
			const node = { runId: name, items: {} };
			const prompt = `${name} ${itemIndex}`;
			const own = { host, workspace, run, itemIndex, node, prompt };
			return await createJob(runOf({ ...own, settings: { waitTimeoutMs } }));
		});
		return await Promise.all(items);
	};
	return { clock, service, run };
}

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

describe('a plan with fewer slots than the credential says', () => {
	test.each([
		[1, 1],
		[2, 2],
	])('is found out by refusals: %i slots, processes: %i', async (concurrentJobs, processes) => {
		const { clock, service, run } = setUp({ concurrentJobs });
		const began = clock.now();
		const all = Array.from({ length: processes }, async () => await run(20));
		const results = (await clock.run(Promise.all(all))).flat();
		expect(results.every(({ ok }) => ok)).toBe(true);
		const bound = (20 * processes * 8_000) / concurrentJobs;
		expect((clock.now() - began) / bound).toBeLessThan(1.4);
		// It begins with five, and tries one a minute. Where others are seen, refusals may be their doing.
		const refusals = processes === 1 ? 5 + bound / MINUTE : service.log.length / 2;
		expect(service.count(429)).toBeLessThanOrEqual(refusals);
	});
});

describe('where another client has all slots all the time', () => {
	test('a creation fails after half an hour, and says how many jobs others run', async () => {
		const set = setUp({ requestsPerMinute: 600 });
		keepBusy(set);
		const began = set.clock.now();
		const [result] = await set.clock.run(set.run(1, { waitTimeoutMs: 24 * 60 * MINUTE }));
		expect(result).toMatchObject({ failure: { kind: 'noSlot', others: 5 } });
		expect(set.clock.now() - began).toBeLessThanOrEqual(31 * MINUTE);
		expect(set.service.jobs.every(({ prompt }) => prompt.startsWith('other'))).toBe(true);
	});
});

describe('two processes that begin together', () => {
	test('also where half of all lists get no answer: a list without one says nothing', async () => {
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
