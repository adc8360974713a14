import fc from 'fast-check';
import { Slots, type Slot, type Turn } from '../../src/transport/slots';
import type { Resource } from '../../src/transport/types';
import { lineOf } from '../support/answers';
import { seeded } from '../support/random';
import { VirtualClock } from '../support/virtualClock';

const line = (owner = 'a', signal?: AbortSignal) =>
	lineOf(async () => ({ lost: 'nothing is sent here' }), owner, signal);

const slotsOf = (limit: number) => new Slots(limit, new VirtualClock(), seeded(1));

const job = (id: string): Resource => ({ id, object: 'generation', status: 'queued' });

async function slotOf(turn: Promise<Turn>): Promise<Slot> {
	const taken = await turn;
	if (!taken) throw new Error('no slot');
	return taken.slot;
}

/** Whether a promise has settled by now. */
async function hasCome(promise: Promise<unknown>): Promise<boolean> {
	const waiting = Symbol('waiting');
	await new Promise((resolve) => setImmediate(resolve));
	return (await Promise.race([promise, Promise.resolve(waiting)])) !== waiting;
}

test('never more than the limit at a time, in turns of the owners', async () => {
	const slots = slotsOf(2);
	const held = [await slotOf(slots.take(line())), await slotOf(slots.take(line()))];
	const batch = [slots.take(line()), slots.take(line())];
	const single = slots.take(line('b'));
	expect(await hasCome(batch[0] as Promise<Turn>)).toBe(false);
	held[0]?.free();
	expect(await hasCome(batch[0] as Promise<Turn>)).toBe(true);
	held[1]?.free();
	expect(await hasCome(single)).toBe(true);
	expect(await hasCome(batch[1] as Promise<Turn>)).toBe(false);
});

test('giving a place back twice frees one place', async () => {
	const slots = slotsOf(1);
	const slot = await slotOf(slots.take(line()));
	slot.free();
	slot.free();
	await slotOf(slots.take(line()));
	expect(await hasCome(slots.take(line()))).toBe(false);
});

test('cancelled in the queue: out at once, its place goes to the next', async () => {
	const slots = slotsOf(1);
	const slot = await slotOf(slots.take(line()));
	const abort = new AbortController();
	const cancelled = slots.take(line('a', abort.signal));
	const next = slots.take(line('b'));
	abort.abort();
	expect(await cancelled).toBeUndefined();
	expect(await slots.take(line('a', abort.signal))).toBeUndefined();
	slot.free();
	expect(await hasCome(next)).toBe(true);
});

test('a job that nobody waits for is handed, oldest first, to whoever needs its place', async () => {
	const slots = slotsOf(2);
	const first = await slotOf(slots.take(line()));
	const second = await slotOf(slots.take(line()));
	first.leave(job('gen_1'));
	second.leave(job('gen_2'));
	expect(await slots.take(line())).toMatchObject({ look: { id: 'gen_1' } });
	expect(await slots.take(line())).toMatchObject({ look: { id: 'gen_2' } });
	const waiting = slots.take(line());
	expect(await hasCome(waiting)).toBe(false);
	second.leave(job('gen_2'));
	expect(await waiting).toMatchObject({ look: { id: 'gen_2' } });
});

test('one job that is left twice holds one place', async () => {
	const slots = slotsOf(2);
	const first = await slotOf(slots.take(line()));
	const second = await slotOf(slots.take(line()));
	first.leave(job('gen_1'));
	second.leave(job('gen_1'));
	expect(await slots.take(line())).not.toHaveProperty('look');
	expect(await slots.take(line())).toHaveProperty('look');
});

test('no place is ever lost or doubled, whatever the order of takes, ends, leaves and cancels', async () => {
	const step = fc.record({
		act: fc.constantFrom('take', 'free', 'leave', 'cancel'),
		at: fc.nat(20),
		owner: fc.constantFrom('a', 'b', 'c'),
	});
	await fc.assert(
		fc.asyncProperty(
			fc.integer({ min: 1, max: 4 }),
			fc.array(step, { maxLength: 60 }),
			async (limit, steps) => {
				const slots = slotsOf(limit);
				const held: Slot[] = [];
				const aborts: AbortController[] = [];
				let ids = 0;
				for (const { act, at, owner } of steps) {
					if (act === 'take') {
						const abort = new AbortController();
						aborts.push(abort);
						void slots.take(line(owner, abort.signal)).then((turn) => turn && held.push(turn.slot));
					} else if (act === 'cancel') aborts[at % aborts.length]?.abort();
					else {
						const slot = held.splice(at % Math.max(1, held.length), 1)[0];
						if (act === 'free') slot?.free();
						else slot?.leave(job(`gen_${(ids += 1)}`));
					}
					await new Promise((resolve) => setImmediate(resolve));
					expect(held.length).toBeLessThanOrEqual(limit);
				}
				for (const abort of aborts) abort.abort();
				while (held.length > 0) held.shift()?.free();
				const all = Array.from({ length: limit }, async () => await slots.take(line()));
				expect((await Promise.all(all)).every(Boolean)).toBe(true);
				expect(await hasCome(slots.take(line()))).toBe(false);
			},
		),
		{ numRuns: 60 },
	);
});
