import { ENDPOINTS } from '../../../src/contract';
import { Batch } from '../../../src/transport/run/batch';
import { newMemory } from '../../../src/transport/run/itemMemory';
import type { SendResult } from '../../../src/transport/base/types';
import { KeyRotation, keyRotationOf } from '../../../src/transport/run/keyRotation';
import { answer } from '../../../testing/answers';
import { hostWith, runOf, workspaceWith, type RunParts } from '../../../testing/run';
import { VirtualClock } from '../../../testing/virtualClock';

const listOf = (...ids: string[]) => {
	const data = ids.map((id) => ({ id, object: 'generation', status: 'failed' }));
	return answer(200, { object: 'list', data, has_more: false });
};

/** A run of one item, at a service that shows these jobs when it is asked. */
function setUp(listed: SendResult = listOf(), parts: Partial<RunParts> = {}) {
	const clock = new VirtualClock();
	const workspace = workspaceWith(clock);
	let lists = 0;
	const host = hostWith(async () => {
		lists += 1;
		return listed;
	});
	const item = runOf({ host, workspace, settings: { idempotency: 'content' }, ...parts });
	const { creations } = workspace;
	const rotationOf = () => {
		const rotation = new KeyRotation(item);
		return async (id: string, endedAtFirstPoll = true, wasKnownToFail = false) =>
			await clock.run(rotation.mayRotate(item, { id, endedAtFirstPoll, wasKnownToFail }));
	};
	return { item, creations, rotationOf, lists: () => lists };
}

describe('the next key of a content, after a failed job', () => {
	test('is used once for a job that had failed when it was first seen: it may be of an earlier run', async () => {
		const { rotationOf, lists } = setUp();
		const mayRotate = rotationOf();
		expect(await mayRotate('gen_1')).toBe(true);
		expect(await mayRotate('gen_2')).toBe(false);
		expect(lists()).toBe(1);
	});

	test('is not used for a job that this run has seen running: it is its own', async () => {
		const { rotationOf, lists } = setUp();
		expect(await rotationOf()('gen_1', false)).toBe(false);
		expect(lists()).toBe(0);
	});

	test('is used again for jobs that were there before this run created one', async () => {
		const { rotationOf, lists } = setUp(listOf('gen_2', 'gen_3'));
		const mayRotate = rotationOf();
		await mayRotate('gen_1');
		expect(await mayRotate('gen_2')).toBe(true);
		expect(await mayRotate('gen_3', false)).toBe(true);
		expect(await mayRotate('gen_4')).toBe(false);
		expect(lists()).toBe(1);
	});

	test('is used for a job that this execution knew to have failed, and one may still be created', async () => {
		const { rotationOf } = setUp();
		const mayRotate = rotationOf();
		expect(await mayRotate('gen_1', false, true)).toBe(true);
		expect(await mayRotate('gen_2')).toBe(true);
		expect(await mayRotate('gen_3')).toBe(false);
	});

	test('is used for a job that another execution saw fail before this run began, not since', async () => {
		const { creations, rotationOf } = setUp();
		creations.noteFailure('gen_1');
		const mayRotate = rotationOf();
		creations.noteFailure('gen_2');
		expect(await mayRotate('gen_1', false)).toBe(true);
		expect(await mayRotate('gen_2', false)).toBe(false);
	});

	test.each([
		['known to have failed', 'gen_', true],
		['created by this run, the others older', 'old_', false],
	])('ends with the fifth: %s', async (_which, prefix, wasKnownToFail) => {
		const ids = Array.from({ length: 8 }, (_, number) => `${prefix}${number}`);
		const mayRotate = setUp(listOf(...ids)).rotationOf();
		const may: boolean[] = [];
		for (const id of ids) may.push(await mayRotate(id, true, wasKnownToFail));
		expect(may).toEqual([...Array<boolean>(4).fill(true), ...Array<boolean>(4).fill(false)]);
	});

	test('is decided once for each job, however many items wait for it', async () => {
		const { rotationOf, lists } = setUp();
		const mayRotate = rotationOf();
		expect(await Promise.all([mayRotate('gen_1'), mayRotate('gen_1')])).toEqual([true, true]);
		expect(await mayRotate('gen_1')).toBe(true);
		expect(lists()).toBe(1);
	});
});

test.each<[string, SendResult, Partial<RunParts>, number]>([
	['that cannot be read', answer(404), {}, 1],
	[
		'that shows no jobs of its kind',
		listOf('run_2'),
		{ spec: { endpoint: ENDPOINTS.createAgentRun, output: 'job', object: 'agent_run' } },
		0,
	],
])('by a list %s no job is known to be older', async (_what, listed, parts, asked) => {
	const { rotationOf, lists } = setUp(listed, parts);
	const mayRotate = rotationOf();
	expect([await mayRotate('run_1'), await mayRotate('run_2')]).toEqual([true, false]);
	expect(lists()).toBe(asked);
});

test('items of a run share a rotation by their content, and runs share none', () => {
	const { item } = setUp();
	const of = (fingerprint: string | undefined, batch = item.batch) =>
		keyRotationOf({ ...item, batch, memory: { ...newMemory(), fingerprint } });
	expect(of('a cat')).toBe(of('a cat'));
	expect(of('a dog')).not.toBe(of('a cat'));
	expect(of('a cat', new Batch(1, false))).not.toBe(of('a cat'));
});
