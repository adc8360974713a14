import { WaitQueue } from '../../../src/transport/base/waitQueue';
import type { Channel } from '../../../src/transport/base/types';

const channel = (signal: AbortSignal): Channel => ({
	send: async () => await Promise.reject(new Error('not sent here')),
	signal,
	fairnessKey: 'run',
});

test('what is granted after a cancellation goes to one that still waits, however many were cancelled', async () => {
	const queue = new WaitQueue<string>();
	const run = new AbortController();
	const cancelled = Array.from({ length: 250 }, async () => await queue.wait(channel(run.signal)));
	const other = queue.wait(channel(new AbortController().signal));
	run.abort();
	expect(queue.size).toBe(1);
	queue.grant('a slot');
	expect(await other).toBe('a slot');
	expect(new Set(await Promise.all(cancelled))).toEqual(new Set([undefined]));
});
