import type { Clock } from '../../../src/base/types';

/**
 * In the place of `src/base/clock`, for files on their way: time that does not pass. Whoever sleeps wakes
 * only when told to, so that nothing is taken to stand still on a busy machine, and no timer is left behind.
 */
export const systemClock: Clock = {
	now: () => Date.parse('2026-01-01T00:00:00.000Z'),
	monotonic: () => 0,
	async sleep(_ms, signal) {
		if (signal?.aborted) return;
		await new Promise<void>((resolve) => {
			signal?.addEventListener('abort', () => resolve());
		});
	},
};
