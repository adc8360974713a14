import { sleep } from 'n8n-workflow';
import { onAbort } from './aborts';
import type { Clock } from './types';

/**
 * Real time. Built on n8n-workflow's `sleep`, because published code may not use timers of its own; that one
 * cannot be stopped, so a cancelled sleep answers at once and leaves a timer that fires into nothing.
 */
export const systemClock: Clock = {
	now: () => Date.now(),
	async sleep(ms, signal) {
		if (ms <= 0 || signal?.aborted) return;
		if (!signal) return await sleep(ms);
		let dispose = () => {};
		const aborted = new Promise<void>((resolve) => {
			dispose = onAbort(signal, resolve);
		});
		await Promise.race([sleep(ms), aborted]);
		dispose();
	},
};
