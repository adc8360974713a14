import { sleep } from 'n8n-workflow';
import { PORTION, yieldToEventLoop } from './portions';

const NO_OP = () => {};

type WakeUp = () => void;

/** Ends a wait. What it returns, if anything, lets the one who waited go on. */
export type AbortListener = () => WakeUp | void;

const listenersBySignal = new WeakMap<AbortSignal, Set<AbortListener>>();

/** All waits end at once; those who waited go on in portions. */
async function callAll(listeners: Set<AbortListener>): Promise<void> {
	const wakeUps = [...listeners].map((listener) => listener());
	for (const [index, wakeUp] of wakeUps.entries()) {
		if (index > 0 && index % PORTION === 0) await yieldToEventLoop({ sleep });
		wakeUp?.();
	}
}

function listenersOf(signal: AbortSignal): Set<AbortListener> {
	const known = listenersBySignal.get(signal);
	if (known) return known;
	const listeners = new Set<AbortListener>();
	listenersBySignal.set(signal, listeners);
	signal.addEventListener('abort', () => void callAll(listeners), { once: true });
	return listeners;
}

/**
 * Calls the listener once when the signal fires. Thousands of items may wait on the signal of one
 * run, so all of them share a single event listener: Node warns about more than ten, and removes
 * each by a linear search.
 * @param listener a distinct function for each wait
 * @returns removes the listener
 */
export function onAbort(signal: AbortSignal | undefined, listener: AbortListener): () => void {
	if (!signal) return NO_OP;
	const listeners = listenersOf(signal);
	listeners.add(listener);
	return () => void listeners.delete(listener);
}

/** Removes a listener. For those of whom thousands wait: what `onAbort` returns would be one more thing to keep for each. */
export function offAbort(signal: AbortSignal | undefined, listener: AbortListener): void {
	if (signal) listenersBySignal.get(signal)?.delete(listener);
}
