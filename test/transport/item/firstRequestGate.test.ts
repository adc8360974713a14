/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import { Lead } from '../../../src/transport/item/firstRequestGate';

/** Those whose turn has come by now, with what passes the lead on. */
async function settled(promises: Array<Promise<() => void>>) {
	const done: number[] = [];
	promises.forEach((promise, index) => void promise.then(() => done.push(index)));
	await new Promise((resolve) => setImmediate(resolve));
	return done;
}

const turns = (lead: Lead, count: number) =>
	Array.from({ length: count }, async () => await lead.turn());

test('one leads, and all go when it has got through', async () => {
	const lead = new Lead();
	const all = turns(lead, 3);
	expect(await settled(all)).toEqual([0]);
	lead.open();
	expect(await settled(all)).toEqual([0, 1, 2]);
	expect(await settled([lead.turn()])).toEqual([0]);
});

test('when the leader ends without getting through, the next one leads', async () => {
	const lead = new Lead();
	const all = turns(lead, 3);
	(await all[0])?.();
	expect(await settled(all)).toEqual([0, 1]);
	(await all[1])?.();
	expect(await settled(all)).toEqual([0, 1, 2]);
	(await all[2])?.();
	expect(await settled([lead.turn()])).toEqual([0]);
});

test('who passes the lead on twice passes it on once', async () => {
	const lead = new Lead();
	const all = turns(lead, 3);
	const pass = await all[0];
	pass?.();
	pass?.();
	expect(await settled(all)).toEqual([0, 1]);
});

test('a cancelled wait ends at once, and is passed over', async () => {
	const lead = new Lead();
	const abort = new AbortController();
	const first = lead.turn();
	const waiting = lead.turn(abort.signal);
	const last = lead.turn();
	abort.abort();
	expect(await settled([waiting])).toEqual([0]);
	(await waiting)();
	expect(await settled([last])).toEqual([]);
	(await first)();
	expect(await settled([last])).toEqual([0]);
});
