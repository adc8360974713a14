import { sleep } from 'n8n-workflow';
import { onAbort } from './abortListeners';
import type { Clock } from './types';

/** Node fires a timer of more than 2^31 - 1 ms at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

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
		const ms = Math.min(duration, MAX_TIMER_MS);
		if (!signal) return await sleep(ms);
		let dispose = () => {};
		const aborted = new Promise<void>((resolve) => {
			dispose = onAbort(signal, resolve);
		});
		await Promise.race([sleep(ms), aborted]);
		dispose();
	},
};
