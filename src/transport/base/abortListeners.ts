const listenersBySignal = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls the listener once when the signal fires. Thousands of items may wait on the signal of one
 * run, and Node warns about more than ten listeners, so all of them share one.
 * @param listener a distinct function for each wait
 * @returns removes the listener
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
	if (!signal) return () => {};
	const listeners = listenersBySignal.get(signal) ?? new Set();
	if (!listenersBySignal.has(signal)) {
		listenersBySignal.set(signal, listeners);
		const callAll = () => listeners.forEach((each) => each());
		signal.addEventListener('abort', callAll, { once: true });
	}
	listeners.add(listener);
	return () => void listeners.delete(listener);
}
