import { offAbort, onAbort } from '../../src/base/abort';
import { WaitQueue } from '../../src/base/waitQueue';
import type { Channel } from '../../src/base/types';

const channel = (signal?: AbortSignal, fairnessKey = 'run'): Channel => ({
	send: async () => await Promise.reject(new Error('not sent here')),
	signal,
	fairnessKey,
});

test('what is granted after a cancellation goes to one that still waits, however many were cancelled', async () => {
	const queue = new WaitQueue<string | undefined>(undefined);
	const run = new AbortController();
	const cancelled = Array.from({ length: 250 }, async () => await queue.wait(channel(run.signal)));
	const other = queue.wait(channel(new AbortController().signal));
	run.abort();
	expect(queue.size).toBe(1);
	queue.grant('a slot');
	expect(await other).toBe('a slot');
	expect(new Set(await Promise.all(cancelled))).toEqual(new Set([undefined]));
});

test('fairness keys take turns, each in its own order', async () => {
	const queue = new WaitQueue<number>(0);
	const names = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'];
	const served: string[] = [];
	for (const name of names)
		void queue.wait(channel(undefined, name[0])).then(() => served.push(name));
	while (queue.size > 0) queue.grant(1);
	await Promise.resolve();
	expect(served).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
	queue.grant(1);
	expect(queue.next).toBeUndefined();
});

test('those whose deadline has passed get what is said to them', async () => {
	const queue = new WaitQueue<string>('cancelled');
	const waits = [5, 9, 7].map(async (timeoutMs) => await queue.wait(channel(), 100, timeoutMs));
	const expireAt = (now: number) =>
		queue.expire(
			({ since, timeoutMs }) => now >= since + timeoutMs,
			({ timeoutMs }) => `late after ${timeoutMs}`,
		);
	expireAt(104);
	expect(queue.size).toBe(3);
	expireAt(107);
	queue.grant('served');
	expect(await Promise.all(waits)).toEqual(['late after 5', 'served', 'late after 7']);
});

test('thousands of listeners share one event listener', () => {
	const abort = new AbortController();
	const listen = jest.spyOn(abort.signal, 'addEventListener');
	let called = 0;
	const listeners = Array.from({ length: 5_000 }, () => () => {
		called += 1;
	});
	for (const each of listeners) onAbort(abort.signal, each);
	for (const each of listeners.slice(0, 2_000)) offAbort(abort.signal, each);
	abort.abort();
	expect(listen).toHaveBeenCalledTimes(1);
	expect(called).toBe(3_000);
});

test('what our own code throws ends all waits, and a later abort changes nothing', async () => {
	const queue = new WaitQueue<string>('cancelled');
	const run = new AbortController();
	const fault = new TypeError('of our own');
	const waits = ['a', 'b'].map(async (key) => await queue.wait(channel(run.signal, key)));
	queue.rejectAll(fault);
	expect(queue.size).toBe(0);
	run.abort();
	const rejected = { status: 'rejected', reason: fault };
	expect(await Promise.allSettled(waits)).toEqual([rejected, rejected]);
});
