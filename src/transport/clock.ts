import { sleep } from 'n8n-workflow';
import type { Clock } from './types';

/** Resolves when the signal fires; `dispose` takes the listener off again. */
function aborted(signal: AbortSignal) {
	let onAbort = () => {};
	const fired = new Promise<void>((resolve) => {
		onAbort = () => resolve();
		signal.addEventListener('abort', onAbort);
	});
	return { fired, dispose: () => signal.removeEventListener('abort', onAbort) };
}

/**
 * Real time. Built on n8n-workflow's `sleep`, because published code may not use timers of its own; that one
 * cannot be stopped, so a cancelled sleep answers at once and leaves a timer that fires into nothing.
 */
export const systemClock: Clock = {
	now: () => Date.now(),
	async sleep(ms, signal) {
		if (ms <= 0 || signal?.aborted) return;
		if (!signal) return await sleep(ms);
		const abort = aborted(signal);
		await Promise.race([sleep(ms), abort.fired]);
		abort.dispose();
	},
};
