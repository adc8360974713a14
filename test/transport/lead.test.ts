import { Lead } from '../../src/transport/lead';

/** Which of the promises have settled by now. */
async function settled(promises: Array<Promise<void>>): Promise<number[]> {
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
	lead.pass();
	expect(await settled(all)).toEqual([0, 1]);
	lead.pass();
	expect(await settled(all)).toEqual([0, 1, 2]);
	lead.pass();
	expect(await settled([lead.turn()])).toEqual([0]);
});

test('a cancelled wait ends at once', async () => {
	const lead = new Lead();
	const abort = new AbortController();
	void lead.turn();
	const waiting = lead.turn(abort.signal);
	abort.abort();
	expect(await settled([waiting])).toEqual([0]);
});
