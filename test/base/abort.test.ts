/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { getEventListeners } from 'node:events';
import { offAbort, onAbort, unlessAborted } from '../../src/base/abort';

const listenersOf = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

test('any number of listeners is one for the signal, and none is left once none is needed', async () => {
	const controller = new AbortController();
	const { signal } = controller;
	const told: number[] = [];
	const listeners = [1, 2, 3].map((each) => () => void told.push(each));
	for (const each of listeners) onAbort(signal, each);
	expect(listenersOf(signal)).toBe(1);
	for (const each of listeners) offAbort(signal, each);
	// Node keeps a signal of `AbortSignal.any` until it fires, as long as somebody listens to it.
	expect(listenersOf(signal)).toBe(0);
	await unlessAborted(signal, Promise.resolve());
	expect(listenersOf(signal)).toBe(0);

	for (const each of listeners) onAbort(signal, each);
	offAbort(signal, listeners[1]!);
	controller.abort();
	expect(told).toEqual([1, 3]);
});
