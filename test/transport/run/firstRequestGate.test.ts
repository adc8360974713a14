/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import { FirstRequestGate } from '../../../src/transport/run/firstRequestGate';
import { VirtualClock } from '../../../testing/virtualClock';

/** Indexes of those that may go by now. */
async function settled(promises: Array<Promise<() => void>>) {
	const done: number[] = [];
	promises.forEach((promise, index) => void promise.then(() => done.push(index)));
	await new Promise((resolve) => setImmediate(resolve));
	return done;
}

const acquireAll = (firstRequest: FirstRequestGate, count: number) =>
	Array.from({ length: count }, async () => await firstRequest.acquire(new VirtualClock()));

test('the first goes alone, and all others when its request is accepted', async () => {
	const firstRequest = new FirstRequestGate();
	const all = acquireAll(firstRequest, 3);
	expect(await settled(all)).toEqual([0]);
	void firstRequest.open(new VirtualClock());
	expect(await settled(all)).toEqual([0, 1, 2]);
	expect(await settled([firstRequest.acquire(new VirtualClock())])).toEqual([0]);
});

test('thousands go in portions, in order, so that n8n can work in between', async () => {
	const clock = new VirtualClock();
	const firstRequest = new FirstRequestGate();
	const all = acquireAll(firstRequest, 250);
	void firstRequest.open(clock);
	const late = firstRequest.acquire(new VirtualClock());
	expect(await settled([...all, late])).toHaveLength(101);
	await clock.pass(1);
	await clock.pass(1);
	expect(await settled([...all, late])).toHaveLength(201);
	await clock.pass(1);
	await clock.pass(1);
	expect(await settled([...all, late])).toHaveLength(251);
	expect(clock.sleeps.filter((ms) => ms > 0)).toHaveLength(8);
});

test('when the first ends without an accepted request, the next goes alone', async () => {
	const firstRequest = new FirstRequestGate();
	const all = acquireAll(firstRequest, 3);
	(await all[0])?.();
	expect(await settled(all)).toEqual([0, 1]);
	(await all[1])?.();
	expect(await settled(all)).toEqual([0, 1, 2]);
	(await all[2])?.();
	expect(await settled([firstRequest.acquire(new VirtualClock())])).toEqual([0]);
});

test('releasing the first request twice lets only one item follow', async () => {
	const firstRequest = new FirstRequestGate();
	const all = acquireAll(firstRequest, 3);
	const pass = await all[0];
	pass?.();
	pass?.();
	expect(await settled(all)).toEqual([0, 1]);
});

test('a cancelled wait ends at once, and is passed over', async () => {
	const firstRequest = new FirstRequestGate();
	const abort = new AbortController();
	const first = firstRequest.acquire(new VirtualClock());
	const waiting = firstRequest.acquire(new VirtualClock(), abort.signal);
	const last = firstRequest.acquire(new VirtualClock());
	abort.abort();
	expect(await settled([waiting])).toEqual([0]);
	(await waiting)();
	expect(await settled([last])).toEqual([]);
	(await first)();
	expect(await settled([last])).toEqual([0]);
});

test('thousands that may send nothing pass in portions too', async () => {
	const clock = new VirtualClock();
	const firstRequest = new FirstRequestGate();
	const passed: number[] = [];
	const all = Array.from({ length: 250 }, async (_, item) => {
		const pass = await firstRequest.acquire(clock);
		passed.push(item);
		pass();
	});
	await clock.quiet();
	expect(passed).toHaveLength(100);
	await clock.pass(1);
	await clock.pass(1);
	expect(passed).toHaveLength(200);
	await clock.run(Promise.all(all));
	expect(passed).toEqual(Array.from({ length: 250 }, (_, item) => item));
});
