/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import { FirstRequestGate } from '../../../src/transport/item/firstRequestGate';

/** Those whose turn has come by now, with what passes the lead on. */
async function settled(promises: Array<Promise<() => void>>) {
	const done: number[] = [];
	promises.forEach((promise, index) => void promise.then(() => done.push(index)));
	await new Promise((resolve) => setImmediate(resolve));
	return done;
}

const turns = (firstRequest: FirstRequestGate, count: number) =>
	Array.from({ length: count }, async () => await firstRequest.acquire());

test('one leads, and all go when it has got through', async () => {
	const firstRequest = new FirstRequestGate();
	const all = turns(firstRequest, 3);
	expect(await settled(all)).toEqual([0]);
	firstRequest.open();
	expect(await settled(all)).toEqual([0, 1, 2]);
	expect(await settled([firstRequest.acquire()])).toEqual([0]);
});

test('when the leader ends without getting through, the next one leads', async () => {
	const firstRequest = new FirstRequestGate();
	const all = turns(firstRequest, 3);
	(await all[0])?.();
	expect(await settled(all)).toEqual([0, 1]);
	(await all[1])?.();
	expect(await settled(all)).toEqual([0, 1, 2]);
	(await all[2])?.();
	expect(await settled([firstRequest.acquire()])).toEqual([0]);
});

test('who passes the lead on twice passes it on once', async () => {
	const firstRequest = new FirstRequestGate();
	const all = turns(firstRequest, 3);
	const pass = await all[0];
	pass?.();
	pass?.();
	expect(await settled(all)).toEqual([0, 1]);
});

test('a cancelled wait ends at once, and is passed over', async () => {
	const firstRequest = new FirstRequestGate();
	const abort = new AbortController();
	const first = firstRequest.acquire();
	const waiting = firstRequest.acquire(abort.signal);
	const last = firstRequest.acquire();
	abort.abort();
	expect(await settled([waiting])).toEqual([0]);
	(await waiting)();
	expect(await settled([last])).toEqual([]);
	(await first)();
	expect(await settled([last])).toEqual([0]);
});
