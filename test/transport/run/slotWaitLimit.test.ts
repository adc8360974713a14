import { Batch } from '../../../src/transport/run/batch';
import { create } from '../../../src/transport/run/create';
import { SlotWaitLimit } from '../../../src/transport/run/slotWaitLimit';
import { runThroughGate } from '../../../src/transport/run/runThroughGate';
import { answer } from '../../../testing/answers';
import { hostWith, runOf, workspaceWith } from '../../../testing/run';
import { VirtualClock } from '../../../testing/virtualClock';

const MINUTE = 60_000;

/** A service that refuses every creation with 429, while these jobs are in its list. */
function refusing(clock: VirtualClock, listed: unknown[]) {
	let creations = 0;
	const host = hostWith(async ({ method }) => {
		await clock.sleep(250);
		if (method === 'GET') return answer(200, { object: 'list', data: listed });
		creations += 1;
		return answer(429, { error: { type: 'x', message: 'Too many' } });
	});
	return { host, creations: () => creations };
}

test('if no slot is held, a creation that is always refused fails within minutes, and stops its run', async () => {
	const clock = new VirtualClock();
	const { host, creations } = refusing(clock, []);
	const workspace = workspaceWith(clock);
	const batch = new Batch(20, false);
	const started = clock.now();
	const all = Array.from(
		{ length: 20 },
		async (_, itemIndex) =>
			await runThroughGate(runOf({ host, workspace, batch, itemIndex }), create),
	);
	const results = await clock.run(Promise.all(all));
	const kinds = results.map((result) => (result.ok ? 'ok' : result.failure.kind));
	expect(kinds.filter((kind) => kind === 'status')).toHaveLength(1);
	expect(kinds.filter((kind) => kind === 'skipped')).toHaveLength(19);
	expect(clock.now() - started).toBeLessThan(10 * MINUTE);
	expect(creations()).toBeLessThan(40);
});

test('a single one fails within four minutes', async () => {
	const clock = new VirtualClock();
	const { host } = refusing(clock, []);
	const started = clock.now();
	const result = await clock.run(create(runOf({ host, workspace: workspaceWith(clock) })));
	expect(result).toMatchObject({ ok: false, failure: { kind: 'status', status: 429 } });
	expect(clock.now() - started).toBeGreaterThanOrEqual(1.5 * MINUTE);
	expect(clock.now() - started).toBeLessThan(4 * MINUTE);
});

test('if jobs of others are running, it waits for a slot as long as it may', async () => {
	const clock = new VirtualClock();
	const others = { id: 'gen_other', object: 'generation', status: 'queued' };
	const { host } = refusing(clock, [others]);
	const started = clock.now();
	const settings = { waitTimeoutMs: 20 * MINUTE };
	const result = await clock.run(
		create(runOf({ host, workspace: workspaceWith(clock), settings })),
	);
	expect(result).toMatchObject({ ok: false, failure: { kind: 'status', status: 429 } });
	expect(clock.now() - started).toBeGreaterThanOrEqual(20 * MINUTE);
});

test('as long as other items of ours get through, a refused item keeps trying', async () => {
	const clock = new VirtualClock();
	const host = hostWith(async () => answer(200, { object: 'list', data: [] }));
	const workspace = workspaceWith(clock);
	const waitLimit = new SlotWaitLimit(runOf({ host, workspace }));
	const permit = await workspace.jobSemaphore.acquire(host.channel);
	for (let minute = 0; minute < 45; minute += 1) {
		expect(await clock.run(waitLimit.isExceeded())).toBe(false);
		await clock.pass(MINUTE);
		permit?.accepted({ id: `gen_${minute}` });
	}
	for (let second = 0; second < 85; second += 5) {
		await clock.pass(5_000);
		expect(await clock.run(waitLimit.isExceeded())).toBe(false);
	}
	await clock.pass(10_000);
	expect(await clock.run(waitLimit.isExceeded())).toBe(true);
});
