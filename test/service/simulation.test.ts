import { Run } from '../../src/run/run';
import { createJob } from '../../src/run/creation';
import { newMemory, type ItemMemory } from '../../src/run/state';
import type { ApiRequest } from '../../src/base/types';
import { ModelService, type ServiceSettings } from '../model/modelService';
import { seeded } from '../model/random';
import { expectSame } from '../support/same';
import { seedOf, withSeed } from '../support/seed';
import { cases } from '../support/thorough';
import { hostWith, runOf, workspaceWith } from '../model/run';
import { VirtualClock } from '../model/virtualClock';

const MINUTE = 60_000;

function setUp(service: Partial<ServiceSettings> = {}) {
	const clock = new VirtualClock();
	const model = new ModelService(clock, service);
	const workspace = workspaceWith(clock);
	/** Items of one execution, all started at once, as n8n does. */
	const execution = async (owner: string, count: number, memories: ItemMemory[] = []) => {
		const host = hostWith(model.send, {}, owner);
		const run = new Run(count, false);
		const items = Array.from({ length: count }, async (_, itemIndex) => {
			const memory = (memories[itemIndex] ??= newMemory());
			const origin = { executionId: owner };
			const item = runOf({
				host,
				workspace,
				run,
				itemIndex,
				memory,
				origin,
				prompt: `${owner} ${itemIndex}`,
			});
			return await createJob(item);
		});
		return await Promise.all(items);
	};
	return { clock, model, workspace, execution };
}

const spread = (prompt: string) =>
	5_000 + ((prompt.length * 7_919 + Number(prompt.split(' ')[1])) % 23) * 1_000;

describe.each(['sliding', 'fixed', 'bucket'] as const)(
	'a service that counts in a %s window',
	(window) => {
		test('200 jobs without a single refusal caused by us, each created once', async () => {
			const { clock, model, execution } = setUp({ window, jobMs: spread });
			const results = await clock.run(execution('run', 200));
			expect(results.every(({ ok }) => ok)).toBe(true);
			expect(model.jobs).toHaveLength(200);
			expect(model.count(202)).toBe(200);
			expect(model.count(429)).toBe(0);
		});
	},
);

test('a single image does not wait for a run of 500', async () => {
	const { clock, model, execution } = setUp({ jobMs: () => 10_000 });
	const started = clock.now();
	const run = execution('run', 500);
	await clock.pass(30_000);
	const single = execution('single', 1);
	const [result] = await clock.run(single);
	expect(result?.ok).toBe(true);
	expect(clock.now() - started).toBeLessThan(3 * MINUTE);
	expect((await clock.run(run)).every(({ ok }) => ok)).toBe(true);
	expect(model.jobs).toHaveLength(501);
	expect(model.count(429)).toBe(0);
});

test('the five allowed jobs are almost always in use', async () => {
	const { clock, execution } = setUp({ jobMs: () => 60_000 });
	const started = clock.now();
	await clock.run(execution('run', 50));
	const bound = (50 / 5) * MINUTE;
	expect(clock.now() - started).toBeLessThan(bound * 1.15);
});

/** Items of a run, whose creations meet more faults than there are items. */
const ITEMS = cases(7_000);

test(`lost, damaged and failed responses to ${ITEMS} items in a few runs of a node: nothing is created twice or lost`, async () => {
	await withSeed(seedOf(7), async (seed) => {
		const random = seeded(seed);
		let faults = 0;
		const isPost = ({ method }: ApiRequest) => method === 'POST';
		const { clock, model, workspace, execution } = setUp({
			requestsPerMinute: 100_000,
			concurrentJobs: 100,
			jobMs: () => 3_000,
			fault(request) {
				const rolled = random();
				if (!isPost(request) || rolled >= 0.6) return undefined;
				faults += 1;
				if (rolled < 0.15) return 'before';
				if (rolled < 0.3) return 'after';
				return rolled < 0.45 ? 'truncated' : 'error';
			},
		});
		workspace.updateLimits({ requestsPerMinute: 100_000, concurrentJobs: 100 });
		const memories: ItemMemory[] = [];
		let failed = ITEMS;
		// Several that are given up in a row halt a run.
		for (let again = 0; again < 5 && failed > 0; again += 1) {
			const results = await clock.run(execution('run', ITEMS, memories));
			failed = results.filter(({ ok }) => !ok).length;
			for (const [item, result] of results.entries()) {
				if (result.ok) expectSame(result.value.prompt, `run ${item}`);
			}
		}
		expect(new Set(model.jobs.map(({ prompt }) => prompt)).size).toBe(model.jobs.length);
		expect(model.jobs).toHaveLength(ITEMS);
		expect(faults).toBeGreaterThan(ITEMS);
		expect(failed).toBe(0);
		const ids = new Set(model.jobs.map(({ id }) => id));
		for (const { state } of memories) if ('job' in state) expectSame(ids.has(state.job.id), true);
	});
});

test('after a run no slot and no timer is left behind', async () => {
	const { clock, workspace, execution } = setUp();
	await clock.run(execution('run', 20));
	await clock.pass(10 * MINUTE);
	expect(clock.sleeping).toBe(0);
	const { channel } = hostWith(async () => ({ noResponse: 'x' }));
	const options = { timeoutMs: MINUTE, takesSlot: 'media' as const };
	for (let count = 1; count <= 5; count += 1) {
		const slot = await clock.run(workspace.slots.acquire(channel, options));
		if (!slot.ok) throw new Error('A slot was left behind');
		slot.value.accepted({ id: `gen_${count}` });
	}
});
