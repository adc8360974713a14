/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import { onAbort } from '../../../src/transport/base/abortListeners';

test('thousands of listeners share one event listener', () => {
	const abort = new AbortController();
	const listen = jest.spyOn(abort.signal, 'addEventListener');
	let called = 0;
	const dispose = Array.from({ length: 5_000 }, () =>
		onAbort(abort.signal, () => {
			called += 1;
		}),
	);
	for (const each of dispose.slice(0, 2_000)) each();
	abort.abort();
	expect(listen).toHaveBeenCalledTimes(1);
	expect(called).toBe(3_000);
});

test('a removed listener is not called, and without a signal there is none', () => {
	const abort = new AbortController();
	const listener = jest.fn();
	onAbort(abort.signal, listener)();
	onAbort(undefined, listener)();
	abort.abort();
	expect(listener).not.toHaveBeenCalled();
});

test('all waits end at once, and those who waited go on in portions', async () => {
	const abort = new AbortController();
	const ended: number[] = [];
	const wentOn: number[] = [];
	for (let number = 0; number < 250; number += 1) {
		onAbort(abort.signal, () => {
			ended.push(number);
			return () => void wentOn.push(number);
		});
	}
	abort.abort();
	expect(ended).toHaveLength(250);
	const portions = [wentOn.length];
	while (wentOn.length < 250) {
		await new Promise((resolve) => setImmediate(resolve));
		if (wentOn.length !== portions.at(-1)) portions.push(wentOn.length);
	}
	expect(portions).toEqual([100, 200, 250]);
	expect(wentOn).toEqual(ended);
});
