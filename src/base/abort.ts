/** Those who listen to one signal, and the one listener that the signal itself has. */
interface Listeners {
	all: Set<() => void>;
	tellAll: () => void;
}

const listenersBySignal = new WeakMap<AbortSignal, Listeners>();

/**
 * Calls a listener once when a signal fires. Thousands of items may wait for the signal of one run, and Node
 * warns about more than ten listeners, so all of them share one. Nothing happens if the signal has fired
 * before.
 * @param listener a different function for each wait, by which {@link offAbort} removes it
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): void {
	if (!signal) return;
	const known = listenersBySignal.get(signal);
	if (known) {
		known.all.add(listener);
		return;
	}
	const all = new Set([listener]);
	const tellAll = () => all.forEach((each) => each());
	listenersBySignal.set(signal, { all, tellAll });
	signal.addEventListener('abort', tellAll, { once: true });
}

/**
 * Removes a listener that is not needed any more. With the last one the signal is left too: Node keeps a
 * signal of `AbortSignal.any` in memory until it fires, as long as somebody listens to it.
 */
export function offAbort(signal: AbortSignal | undefined, listener: () => void): void {
	if (!signal) return;
	const listeners = listenersBySignal.get(signal);
	if (!listeners) return;
	listeners.all.delete(listener);
	if (listeners.all.size > 0) return;
	listenersBySignal.delete(signal);
	signal.removeEventListener('abort', listeners.tellAll);
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
