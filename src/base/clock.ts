import { sleep } from 'n8n-workflow';
import { unlessAborted } from './abort';
import type { Clock } from './types';

/** In ms: Node fires a timer that is longer at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Real time. Published code may not use timers, hence n8n-workflow's `sleep`: a cancelled one returns
 * at once and leaves a timer behind that does nothing.
 */
export const systemClock: Clock = {
	now: () => Date.now(),
	monotonic: () => performance.now(),
	async sleep(duration, signal) {
		// Not `duration <= 0`, so that NaN returns at once instead of sleeping.
		if (!(duration > 0) || signal?.aborted) return;
		const slept = sleep(Math.min(duration, MAX_TIMER_MS));
		await (signal ? unlessAborted(signal, slept).catch(() => {}) : slept);
	},
};
