const listenersBySignal = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls the listener once when the signal fires. Thousands of items may wait on the signal of one
 * run, and Node warns about more than ten listeners, so all of them share one.
 * @param listener a distinct function for each wait
 * @returns removes the listener
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
	if (!signal) return () => {};
	const known = listenersBySignal.get(signal);
	const listeners = known ?? new Set<() => void>();
	if (!known) {
		listenersBySignal.set(signal, listeners);
		signal.addEventListener('abort', () => listeners.forEach((each) => each()), { once: true });
	}
	listeners.add(listener);
	return () => void listeners.delete(listener);
}

/** What a promise gives; rejects with the reason of the signal as soon as that fires. */
export async function unlessAborted<T>(signal: AbortSignal, task: Promise<T>): Promise<T> {
	let dispose = () => {};
	const aborted = new Promise<never>((_, reject) => {
		const stop = () => reject(signal.reason as Error);
		if (signal.aborted) stop();
		else dispose = onAbort(signal, stop);
	});
	return await Promise.race([task, aborted]).finally(dispose);
}
