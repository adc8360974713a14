import { jobWaitMs, outOfTime, untilAnswer } from '../../../src/transport/run/answerBy';
import { answer } from '../../../testing/answers';
import { hostWith, runOf, workspaceWith } from '../../../testing/run';
import { VirtualClock } from '../../../testing/virtualClock';

/** A call whose agent wants its answer after that time, or an item of a workflow. */
function setUp(answerAfterMs?: number) {
	const clock = new VirtualClock();
	const workspace = workspaceWith(clock);
	const host = hostWith(async () => answer(202));
	const settings = { waitTimeoutMs: 90_000 };
	const answerBy = answerAfterMs === undefined ? undefined : clock.monotonic() + answerAfterMs;
	return { clock, item: runOf({ host, workspace, settings, answerBy }) };
}

/** Waits until its signal fires, and says when that was. */
const untilFired = (clock: VirtualClock) => async (signal: AbortSignal | undefined) => {
	const began = clock.monotonic();
	await clock.sleep(1_000_000, signal);
	return clock.monotonic() - began;
};

describe('a wait of a tool call', () => {
	test('ends when the agent wants its answer', async () => {
		const { clock, item } = setUp(45_000);
		await clock.pass(10_000);
		expect(await clock.run(untilAnswer(item, undefined, untilFired(clock)))).toBe(35_000);
	});

	test('ends when it is cancelled, before it began or since', async () => {
		const { clock, item } = setUp(45_000);
		const cancel = new AbortController();
		clock.after(5_000, () => cancel.abort());
		const wait = async () => await clock.run(untilAnswer(item, cancel.signal, untilFired(clock)));
		expect(await wait()).toBe(5_000);
		expect(await wait()).toBe(0);
	});

	test.each([
		['well', async () => 'done'],
		['with an error', async () => await Promise.reject(new Error('done'))],
	])('that has ended %s leaves nothing behind, and its signal never fires', async (_how, end) => {
		const { clock, item } = setUp(45_000);
		const cancel = new AbortController();
		let seen: AbortSignal | undefined;
		const waiting = untilAnswer<string>(item, cancel.signal, async (signal) => {
			seen = signal;
			return await end();
		});
		expect(await waiting.catch(({ message }: Error) => message)).toBe('done');
		await clock.quiet();
		expect(clock.sleeping).toBe(0);
		await clock.pass(50_000);
		cancel.abort();
		expect(seen?.aborted).toBe(false);
	});
});

test('in a workflow nothing but the cancel ends a wait', async () => {
	const { clock, item } = setUp();
	const { signal } = new AbortController();
	expect(await untilAnswer(item, signal, async (given) => given)).toBe(signal);
	expect(await untilAnswer(item, undefined, async (given) => given)).toBeUndefined();
	expect(clock.sleeps).toEqual([]);
});

test('a call is out of time once its answer is due', async () => {
	const { clock, item } = setUp(45_000);
	await clock.pass(44_999);
	expect(outOfTime(item)).toBeUndefined();
	await clock.pass(1);
	expect(outOfTime(item)).toMatchObject({ ok: false, failure: { kind: 'busy' } });
	expect(outOfTime(setUp().item)).toBeUndefined();
});

test('a job may take what is left of the time, and one poll at least', async () => {
	const { clock, item } = setUp(45_000);
	expect(jobWaitMs(item)).toBe(45_000);
	await clock.pass(44_500);
	expect(jobWaitMs(item)).toBe(1_000);
	expect(jobWaitMs(setUp().item)).toBe(90_000);
});
