import { sleep } from 'n8n-workflow';
import { onAbort } from './abortListeners';
import type { Clock } from './types';

/** Node fires a timer of more than 2^31 - 1 milliseconds at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Real time. Built on n8n-workflow's `sleep`, because published code may not use timers of its own; that one
 * cannot be stopped, so a cancelled sleep answers at once and leaves a timer that fires into nothing.
 */
export const systemClock: Clock = {
	now: () => Date.now(),
	monotonic: () => performance.now(),
	async sleep(duration, signal) {
		// Not written as `<=`, so that a duration that is not a number ends at once instead of never.
		if (!(duration > 0) || signal?.aborted) return;
		const ms = Math.min(duration, LONGEST_TIMER_MS);
		if (!signal) return await sleep(ms);
		let dispose = () => {};
		const aborted = new Promise<void>((resolve) => {
			dispose = onAbort(signal, resolve);
		});
		await Promise.race([sleep(ms), aborted]);
		dispose();
	},
};
