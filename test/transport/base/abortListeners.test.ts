import { onAbort } from '../../../src/transport/base/abortListeners';

test('thousands of calls share one listener of the signal', () => {
	const abort = new AbortController();
	const listen = jest.spyOn(abort.signal, 'addEventListener');
	let called = 0;
	const dispose = Array.from({ length: 5_000 }, () => onAbort(abort.signal, () => (called += 1)));
	for (const each of dispose.slice(0, 2_000)) each();
	abort.abort();
	expect(listen).toHaveBeenCalledTimes(1);
	expect(called).toBe(3_000);
});

test('a call that was taken off is not called, and without a signal there is none', () => {
	const abort = new AbortController();
	const call = jest.fn();
	onAbort(abort.signal, call)();
	onAbort(undefined, call)();
	abort.abort();
	expect(call).not.toHaveBeenCalled();
});
