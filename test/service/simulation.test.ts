import { Run } from '../../src/run/run';
import { createJob } from '../../src/run/creation';
import { ModelService, type ServiceSettings } from '../model/modelService';
import { hostWith, runOf, workspaceWith } from '../model/run';
import { VirtualClock } from '../model/virtualClock';

const MINUTE = 60_000;

function setUp(service: Partial<ServiceSettings> = {}) {
	const clock = new VirtualClock();
	const model = new ModelService(clock, service);
	const workspace = workspaceWith(clock);
	/** Items of one execution, all started at once, as n8n does. */
	const execution = async (owner: string, count: number) => {
		const host = hostWith(model.send, {}, owner);
		const run = new Run(count, false);
		const items = Array.from({ length: count }, async (_, itemIndex) => {
			const origin = { executionId: owner };
			const item = runOf({
				host,
				workspace,
				run,
				itemIndex,
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
		test('100 jobs without a single refusal caused by us, each created once', async () => {
			const { clock, model, execution } = setUp({ window, jobMs: spread });
			const results = await clock.run(execution('run', 100));
			expect(results.every(({ ok }) => ok)).toBe(true);
			expect(model.jobs).toHaveLength(100);
			expect(model.count(202)).toBe(100);
			expect(model.count(429)).toBe(0);
		});
	},
);

test('a single image does not wait for a run of 200', async () => {
	const { clock, model, execution } = setUp({ jobMs: () => 10_000 });
	const started = clock.now();
	const run = execution('run', 200);
	await clock.pass(30_000);
	const single = execution('single', 1);
	const [result] = await clock.run(single);
	expect(result?.ok).toBe(true);
	expect(clock.now() - started).toBeLessThan(3 * MINUTE);
	expect((await clock.run(run)).every(({ ok }) => ok)).toBe(true);
	expect(model.jobs).toHaveLength(201);
	expect(model.count(429)).toBe(0);
});

test('the five allowed jobs are almost always in use', async () => {
	const { clock, execution } = setUp({ jobMs: () => 60_000 });
	const started = clock.now();
	await clock.run(execution('run', 50));
	const bound = (50 / 5) * MINUTE;
	expect(clock.now() - started).toBeLessThan(bound * 1.15);
});
