import { FairQueue, WaitQueue } from '../../../src/transport/base/waitQueue';
import type { Channel } from '../../../src/transport/base/types';

const channel = (signal: AbortSignal): Channel => ({
	send: async () => await Promise.reject(new Error('not sent here')),
	signal,
	fairnessKey: 'run',
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

test('fairness keys take turns, each in its own order', () => {
	const queue = new FairQueue<string>();
	for (const entry of ['a1', 'a2', 'a3', 'a4']) queue.push('a', entry);
	for (const entry of ['b1', 'b2']) queue.push('b', entry);
	queue.push('c', 'c1');
	const order = Array.from({ length: queue.size }, () => queue.shift());
	expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
	expect(queue.shift()).toBeUndefined();
	expect(queue.size).toBe(0);
});

test('500 entries of one key delay another key by one entry', () => {
	const queue = new FairQueue<string>();
	for (let index = 0; index < 500; index += 1) queue.push('batch', `batch ${index}`);
	expect(queue.shift()).toBe('batch 0');
	queue.push('single', 'single');
	expect([queue.shift(), queue.shift()]).toContain('single');
});

test('an entry is removed from any position, and only once', () => {
	const queue = new FairQueue<string>();
	for (const entry of ['a1', 'a2', 'a3']) queue.push('a', entry);
	expect(queue.remove('a', 'a2')).toBe(true);
	expect(queue.remove('a', 'a2')).toBe(false);
	expect(queue.remove('b', 'a1')).toBe(false);
	expect([queue.shift(), queue.shift(), queue.shift()]).toEqual(['a1', 'a3', undefined]);
});

test('those whose deadline has passed get what is said to them; the earliest deadline of the others is told', async () => {
	const queue = new WaitQueue<string>('cancelled');
	const { signal } = new AbortController();
	const waits = [5, 9, 7].map(
		async (timeoutMs) => await queue.wait(channel(signal), 100, timeoutMs),
	);
	const deadlineOf = ({ since, timeoutMs }: { since: number; timeoutMs: number }) =>
		since + timeoutMs;
	expect(queue.expire(104, deadlineOf, () => 'late')).toBe(105);
	expect(queue.expire(107, deadlineOf, ({ timeoutMs }) => `late after ${timeoutMs}`)).toBe(109);
	queue.grant('served');
	expect(await Promise.all(waits)).toEqual(['late after 5', 'served', 'late after 7']);
});
