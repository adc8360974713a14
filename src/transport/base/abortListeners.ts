const NOTHING = () => {};

const calls = new WeakMap<AbortSignal, Set<() => void>>();

function callsOf(signal: AbortSignal): Set<() => void> {
	const known = calls.get(signal);
	if (known) return known;
	const all = new Set<() => void>();
	calls.set(signal, all);
	signal.addEventListener('abort', () => [...all].forEach((call) => call()), { once: true });
	return all;
}

/**
 * Calls once when the signal fires. A run with thousands of items waits on one signal thousands of times: all share one
 * listener, because Node warns of more than ten, and takes each off by going through all.
 * @param call a function of its own for each wait
 * @returns takes the call off again
 */
export function onAbort(signal: AbortSignal | undefined, call: () => void): () => void {
	if (!signal) return NOTHING;
	const all = callsOf(signal);
	all.add(call);
	return () => void all.delete(call);
}
