import { sleep } from 'n8n-workflow';
import { unlessAborted } from './abort';
import type { Clock } from './types';

/** The longest time of a timer, in ms. Node fires longer timers at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The real time. Published code may not use timers, so it sleeps by n8n-workflow. A sleep that is cancelled
 * returns at once and leaves a timer behind that does nothing.
 */
export const systemClock: Clock = {
	now: () => Date.now(),
	monotonic: () => performance.now(),
	async sleep(duration, signal) {
		// `duration <= 0` would let NaN sleep.
		if (!(duration > 0) || signal?.aborted) return;
		const slept = sleep(Math.min(duration, MAX_TIMER_MS));
		await (signal ? unlessAborted(signal, slept).catch(() => {}) : slept);
	},
};
