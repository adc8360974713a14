import { Workspace } from '../../src/service/workspace';
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
			node: { runId: name, items: {} },
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
