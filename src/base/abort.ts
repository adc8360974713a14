const listenersBySignal = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls a listener once when a signal fires. Thousands of items may wait for the signal of one run, and Node
 * warns about more than ten listeners, so all of them share one. Nothing happens if the signal has fired
 * before.
 * @param listener a different function for each wait, by which {@link offAbort} removes it
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): void {
	if (!signal) return;
	const known = listenersBySignal.get(signal);
	const listeners = known ?? new Set<() => void>();
	if (!known) {
		listenersBySignal.set(signal, listeners);
		signal.addEventListener('abort', () => listeners.forEach((each) => each()), { once: true });
	}
	listeners.add(listener);
}

/** Removes a listener that is not needed any more. */
export function offAbort(signal: AbortSignal | undefined, listener: () => void): void {
	if (signal) listenersBySignal.get(signal)?.delete(listener);
}

/** Waits for a promise. Rejects with the reason of the signal as soon as that fires. */
export async function unlessAborted<T>(signal: AbortSignal, task: Promise<T>): Promise<T> {
	let stop = () => {};
	const aborted = new Promise<never>((_, reject) => {
		stop = () => reject(signal.reason as Error);
		if (signal.aborted) stop();
		else onAbort(signal, stop);
	});
	return await Promise.race([task, aborted]).finally(() => offAbort(signal, stop));
}
