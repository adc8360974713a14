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
