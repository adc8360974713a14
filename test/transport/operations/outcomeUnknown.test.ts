import { create } from '../../../src/transport/operations/create';
import { newMemory } from '../../../src/transport/item/itemMemory';
import type { Fault } from '../../../testing/modelService/settings';
import { ModelService } from '../../../testing/modelService';
import { hostWith, runOf, workspaceWith, type RunParts } from '../../../testing/run';
import { VirtualClock } from '../../../testing/virtualClock';

const DAY = 24 * 3_600_000;

/** An item whose first run has sent its request without ever getting an answer. */
async function afterUnclear(fault: Fault) {
	const clock = new VirtualClock();
	let left = 7;
	const model = new ModelService(clock, {
		fault: ({ method }) => (method === 'POST' && (left -= 1) >= 0 ? fault : undefined),
	});
	const workspace = workspaceWith(clock);
	const host = hostWith(model.send);
	const memory = newMemory();
	const make = async (more: Partial<RunParts> = {}) =>
		await clock.run(create(runOf({ host, workspace, memory, ...more })));
	expect(await make()).toMatchObject({ failure: { kind: 'noResponse' } });
	return { clock, model, memory, make };
}

test('within 24 hours the same key settles it', async () => {
	const { clock, model, make } = await afterUnclear('after');
	await clock.pass(DAY - 3_600_000);
	expect(await make()).toMatchObject({ value: { id: 'gen_1' } });
	expect(model.jobs).toHaveLength(1);
});

test('after 24 hours nothing is created while a job may be the one, and the error names it', async () => {
	const { clock, model, make } = await afterUnclear('after');
	await clock.pass(DAY);
	expect(await make()).toMatchObject({
		failure: { kind: 'possibleDuplicate', candidates: ['gen_1'] },
	});
	expect(model.jobs).toHaveLength(1);
});

test('after 24 hours an attempt that left nothing is repeated, under a new key', async () => {
	const { clock, model, memory, make } = await afterUnclear('before');
	await clock.pass(DAY);
	expect((await make()).ok).toBe(true);
	expect(model.jobs).toHaveLength(1);
	expect(memory.state).toMatchObject({ is: 'done', attempt: 1, job: { id: 'gen_1' } });
});

test('a job that this node is known to have created is not a candidate', async () => {
	const { clock, make } = await afterUnclear('after');
	await clock.pass(DAY);
	const node = { runId: 'run', items: {}, formerJobs: ['gen_1'] };
	expect((await make({ node })).ok).toBe(true);
});
