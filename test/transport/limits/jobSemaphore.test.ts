/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import fc from 'fast-check';
import { Slots, type AwaitEnd, type Slot } from '../../../src/transport/limits/jobSemaphore';
import type { Resource } from '../../../src/transport/base/types';
import { lineOf } from '../../../testing/answers';
import { seeded } from '../../../testing/random';
import { VirtualClock } from '../../../testing/virtualClock';

const line = (owner = 'a', signal?: AbortSignal) =>
	lineOf(async () => ({ lost: 'nothing is sent here' }), owner, signal);

const never: AwaitEnd = async () => await new Promise(() => {});

const slotsOf = (limit: number, awaitEnd = never) =>
	new Slots(limit, new VirtualClock(), seeded(1), awaitEnd);

const job = (id: string): Resource => ({ id, object: 'generation', status: 'queued' });

async function slotOf(turn: Promise<Slot | undefined>): Promise<Slot> {
	const taken = await turn;
	if (!taken) throw new Error('no slot');
	return taken;
}

/** Lets the test end the jobs that nobody waits for; keeps on whose behalf each was watched. */
function jobsThatEnd() {
	const watched: Array<{ id: string; owner: string; end: () => void; isOn: () => boolean }> = [];
	const awaitEnd: AwaitEnd = async ({ owner, signal }, { id }) =>
		await new Promise((resolve) => {
			signal?.addEventListener('abort', () => resolve(false));
			const isOn = () => !signal?.aborted;
			watched.push({ id, owner, end: () => resolve(true), isOn });
		});
	return {
		watched,
		awaitEnd,
		idsOn: () => watched.filter(({ isOn }) => isOn()).map(({ id }) => id),
	};
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
	expect(await hasCome(batch[0] as Promise<unknown>)).toBe(false);
	held[0]?.free();
	expect(await hasCome(batch[0] as Promise<unknown>)).toBe(true);
	held[1]?.free();
	expect(await hasCome(single)).toBe(true);
	expect(await hasCome(batch[1] as Promise<unknown>)).toBe(false);
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

describe('jobs that nobody waits for', () => {
	/** All places are held by such jobs. */
	async function full(places: number) {
		const jobs = jobsThatEnd();
		const slots = slotsOf(places, jobs.awaitEnd);
		for (let place = 1; place <= places; place += 1) {
			(await slotOf(slots.take(line()))).leave(job(`gen_${place}`));
		}
		return { slots, ...jobs };
	}

	test('are not looked at until somebody needs a place, and no longer than that', async () => {
		const { slots, watched, idsOn } = await full(2);
		expect(watched).toHaveLength(0);
		const abort = new AbortController();
		const waiting = slots.take(line('a', abort.signal));
		expect(idsOn()).toEqual(['gen_1', 'gen_2']);
		abort.abort();
		expect(await waiting).toBeUndefined();
		expect(idsOn()).toEqual([]);
	});

	test('all are looked at, and whichever ends first gives its place', async () => {
		for (const first of [0, 1, 2]) {
			const { slots, watched, idsOn } = await full(3);
			const waiting = slots.take(line());
			expect(watched).toHaveLength(3);
			watched[first]?.end();
			expect(await hasCome(waiting)).toBe(true);
			expect(idsOn()).toEqual([]);
			expect(await hasCome(slots.take(line()))).toBe(false);
		}
	});

	test('four that have ended beside a slow one give four places at once', async () => {
		const { slots, watched } = await full(5);
		const waiting = Array.from({ length: 5 }, async () => await slots.take(line()));
		for (const { end } of watched.slice(1)) end();
		expect((await Promise.all(waiting.slice(0, 4))).every(Boolean)).toBe(true);
		expect(await hasCome(waiting[4] as Promise<unknown>)).toBe(false);
	});

	test('are looked at on behalf of the next one when the first who waits is cancelled', async () => {
		const { slots, watched, idsOn } = await full(1);
		const abort = new AbortController();
		const first = slots.take(line('a', abort.signal));
		const second = slots.take(line('b'));
		abort.abort();
		expect(await first).toBeUndefined();
		expect(await hasCome(second)).toBe(false);
		expect(watched.map(({ owner }) => owner)).toEqual(['a', 'b']);
		expect(idsOn()).toEqual(['gen_1']);
		watched[1]?.end();
		expect(await hasCome(second)).toBe(true);
	});

	test('a job left while somebody waits is looked at too', async () => {
		const { watched, awaitEnd } = jobsThatEnd();
		const slots = slotsOf(1, awaitEnd);
		const slot = await slotOf(slots.take(line()));
		const waiting = slots.take(line());
		slot.leave(job('gen_1'));
		expect(watched).toHaveLength(1);
		watched[0]?.end();
		expect(await hasCome(waiting)).toBe(true);
	});

	test('one job that is left twice holds one place', async () => {
		const slots = slotsOf(2);
		const first = await slotOf(slots.take(line()));
		const second = await slotOf(slots.take(line()));
		first.leave(job('gen_1'));
		second.leave(job('gen_1'));
		expect(await hasCome(slots.take(line()))).toBe(true);
		expect(await hasCome(slots.take(line()))).toBe(false);
	});

	test('one that is left and then given back holds nothing, and leaving it again changes nothing', async () => {
		const slots = slotsOf(1);
		const slot = await slotOf(slots.take(line()));
		slot.leave(job('gen_1'));
		slot.leave(job('gen_2'));
		slot.free();
		slot.leave(job('gen_1'));
		const next = await slotOf(slots.take(line()));
		next.leave(job('gen_1'));
		expect(await hasCome(slots.take(line()))).toBe(false);
	});

	test('looks that fail in an unforeseen way give the place back, and do not stop the queue', async () => {
		const slots = slotsOf(1, async () => {
			throw new TypeError('Cannot convert object to primitive value');
		});
		(await slotOf(slots.take(line()))).leave(job('gen_1'));
		expect(await hasCome(slots.take(line()))).toBe(true);
	});
});

test('no place is ever lost or doubled, whatever the order of takes, ends, leaves and cancels', async () => {
	const step = fc.record({
		act: fc.constantFrom('take', 'free', 'leave', 'end', 'cancel'),
		at: fc.nat(20),
		owner: fc.constantFrom('a', 'b', 'c'),
	});
	await fc.assert(
		fc.asyncProperty(
			fc.integer({ min: 1, max: 4 }),
			fc.array(step, { maxLength: 60 }),
			async (limit, steps) => {
				const jobs = jobsThatEnd();
				const slots = slotsOf(limit, jobs.awaitEnd);
				const held: Slot[] = [];
				const aborts: AbortController[] = [];
				let ids = 0;
				for (const { act, at, owner } of steps) {
					if (act === 'take') {
						const abort = new AbortController();
						aborts.push(abort);
						void slots.take(line(owner, abort.signal)).then((turn) => turn && held.push(turn));
					} else if (act === 'end') jobs.watched[at % jobs.watched.length]?.end();
					else if (act === 'cancel') aborts[at % aborts.length]?.abort();
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
				let watched = 0;
				const settle = async () => {
					while (watched < jobs.watched.length) {
						jobs.watched[watched]?.end();
						watched += 1;
						await new Promise((resolve) => setImmediate(resolve));
					}
				};
				const all = Array.from({ length: limit }, async () => await slots.take(line()));
				await settle();
				expect((await Promise.all(all)).every(Boolean)).toBe(true);
				expect(await hasCome(slots.take(line()))).toBe(false);
			},
		),
		{ numRuns: 60 },
	);
});
