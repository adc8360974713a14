/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import fc from 'fast-check';
import {
	JobSemaphore,
	type AwaitEnd,
	type Permit,
} from '../../../src/transport/limits/jobSemaphore';
import type { Resource } from '../../../src/transport/base/types';
import { lineOf } from '../../../testing/answers';
import { seeded } from '../../../testing/random';
import { VirtualClock } from '../../../testing/virtualClock';

const channel = (owner = 'a', signal?: AbortSignal) =>
	lineOf(async () => ({ noResponse: 'nothing is sent here' }), owner, signal);

const never: AwaitEnd = async () => await new Promise(() => {});

const slotsOf = (limit: number, awaitEnd = never) =>
	new JobSemaphore(limit, new VirtualClock(), seeded(1), awaitEnd);

const job = (id: string): Resource => ({ id, object: 'generation', status: 'queued' });

async function slotOf(turn: Promise<Permit | undefined>): Promise<Permit> {
	const taken = await turn;
	if (!taken) throw new Error('no slot');
	return taken;
}

/** Lets the test end the jobs that nobody waits for; keeps on whose behalf each was watched. */
function jobsThatEnd() {
	const watched: Array<{ id: string; owner: string; end: () => void; isOn: () => boolean }> = [];
	const awaitEnd: AwaitEnd = async ({ fairnessKey: owner, signal }, { id }) =>
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
	const jobSemaphore = slotsOf(2);
	const held = [
		await slotOf(jobSemaphore.acquire(channel())),
		await slotOf(jobSemaphore.acquire(channel())),
	];
	const batch = [jobSemaphore.acquire(channel()), jobSemaphore.acquire(channel())];
	const single = jobSemaphore.acquire(channel('b'));
	expect(await hasCome(batch[0] as Promise<unknown>)).toBe(false);
	held[0]?.release();
	expect(await hasCome(batch[0] as Promise<unknown>)).toBe(true);
	held[1]?.release();
	expect(await hasCome(single)).toBe(true);
	expect(await hasCome(batch[1] as Promise<unknown>)).toBe(false);
});

test('giving a place back twice frees one place', async () => {
	const jobSemaphore = slotsOf(1);
	const permit = await slotOf(jobSemaphore.acquire(channel()));
	permit.release();
	permit.release();
	await slotOf(jobSemaphore.acquire(channel()));
	expect(await hasCome(jobSemaphore.acquire(channel()))).toBe(false);
});

test('cancelled in the queue: out at once, its place goes to the next', async () => {
	const jobSemaphore = slotsOf(1);
	const permit = await slotOf(jobSemaphore.acquire(channel()));
	const abort = new AbortController();
	const cancelled = jobSemaphore.acquire(channel('a', abort.signal));
	const next = jobSemaphore.acquire(channel('b'));
	abort.abort();
	expect(await cancelled).toBeUndefined();
	expect(await jobSemaphore.acquire(channel('a', abort.signal))).toBeUndefined();
	permit.release();
	expect(await hasCome(next)).toBe(true);
});

describe('jobs that nobody waits for', () => {
	/** All places are held by such jobs. */
	async function full(places: number) {
		const jobs = jobsThatEnd();
		const jobSemaphore = slotsOf(places, jobs.awaitEnd);
		for (let place = 1; place <= places; place += 1) {
			(await slotOf(jobSemaphore.acquire(channel()))).abandon(job(`gen_${place}`));
		}
		return { slots: jobSemaphore, ...jobs };
	}

	test('are not looked at until somebody needs a place, and no longer than that', async () => {
		const { slots: jobSemaphore, watched, idsOn } = await full(2);
		expect(watched).toHaveLength(0);
		const abort = new AbortController();
		const waiting = jobSemaphore.acquire(channel('a', abort.signal));
		expect(idsOn()).toEqual(['gen_1', 'gen_2']);
		abort.abort();
		expect(await waiting).toBeUndefined();
		expect(idsOn()).toEqual([]);
	});

	test('all are looked at, and whichever ends first gives its place', async () => {
		for (const first of [0, 1, 2]) {
			const { slots: jobSemaphore, watched, idsOn } = await full(3);
			const waiting = jobSemaphore.acquire(channel());
			expect(watched).toHaveLength(3);
			watched[first]?.end();
			expect(await hasCome(waiting)).toBe(true);
			expect(idsOn()).toEqual([]);
			expect(await hasCome(jobSemaphore.acquire(channel()))).toBe(false);
		}
	});

	test('four that have ended beside a slow one give four places at once', async () => {
		const { slots: jobSemaphore, watched } = await full(5);
		const waiting = Array.from({ length: 5 }, async () => await jobSemaphore.acquire(channel()));
		for (const { end } of watched.slice(1)) end();
		expect((await Promise.all(waiting.slice(0, 4))).every(Boolean)).toBe(true);
		expect(await hasCome(waiting[4] as Promise<unknown>)).toBe(false);
	});

	test('are looked at on behalf of the next one when the first who waits is cancelled', async () => {
		const { slots: jobSemaphore, watched, idsOn } = await full(1);
		const abort = new AbortController();
		const first = jobSemaphore.acquire(channel('a', abort.signal));
		const second = jobSemaphore.acquire(channel('b'));
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
		const jobSemaphore = slotsOf(1, awaitEnd);
		const permit = await slotOf(jobSemaphore.acquire(channel()));
		const waiting = jobSemaphore.acquire(channel());
		permit.abandon(job('gen_1'));
		expect(watched).toHaveLength(1);
		watched[0]?.end();
		expect(await hasCome(waiting)).toBe(true);
	});

	test('one job that is left twice holds one place', async () => {
		const jobSemaphore = slotsOf(2);
		const first = await slotOf(jobSemaphore.acquire(channel()));
		const second = await slotOf(jobSemaphore.acquire(channel()));
		first.abandon(job('gen_1'));
		second.abandon(job('gen_1'));
		expect(await hasCome(jobSemaphore.acquire(channel()))).toBe(true);
		expect(await hasCome(jobSemaphore.acquire(channel()))).toBe(false);
	});

	test('one that is left and then given back holds nothing, and leaving it again changes nothing', async () => {
		const jobSemaphore = slotsOf(1);
		const permit = await slotOf(jobSemaphore.acquire(channel()));
		permit.abandon(job('gen_1'));
		permit.abandon(job('gen_2'));
		permit.release();
		permit.abandon(job('gen_1'));
		const next = await slotOf(jobSemaphore.acquire(channel()));
		next.abandon(job('gen_1'));
		expect(await hasCome(jobSemaphore.acquire(channel()))).toBe(false);
	});

	test('looks that fail in an unforeseen way give the place back, and do not stop the queue', async () => {
		const jobSemaphore = slotsOf(1, async () => {
			throw new TypeError('Cannot convert object to primitive value');
		});
		(await slotOf(jobSemaphore.acquire(channel()))).abandon(job('gen_1'));
		expect(await hasCome(jobSemaphore.acquire(channel()))).toBe(true);
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
				const jobSemaphore = slotsOf(limit, jobs.awaitEnd);
				const held: Permit[] = [];
				const aborts: AbortController[] = [];
				let ids = 0;
				for (const { act, at, owner } of steps) {
					if (act === 'take') {
						const abort = new AbortController();
						aborts.push(abort);
						void jobSemaphore
							.acquire(channel(owner, abort.signal))
							.then((turn) => turn && held.push(turn));
					} else if (act === 'end') jobs.watched[at % jobs.watched.length]?.end();
					else if (act === 'cancel') aborts[at % aborts.length]?.abort();
					else {
						const permit = held.splice(at % Math.max(1, held.length), 1)[0];
						if (act === 'free') permit?.release();
						else permit?.abandon(job(`gen_${(ids += 1)}`));
					}
					await new Promise((resolve) => setImmediate(resolve));
					expect(held.length).toBeLessThanOrEqual(limit);
				}
				for (const abort of aborts) abort.abort();
				while (held.length > 0) held.shift()?.release();
				let watched = 0;
				const settle = async () => {
					while (watched < jobs.watched.length) {
						jobs.watched[watched]?.end();
						watched += 1;
						await new Promise((resolve) => setImmediate(resolve));
					}
				};
				const all = Array.from(
					{ length: limit },
					async () => await jobSemaphore.acquire(channel()),
				);
				await settle();
				expect((await Promise.all(all)).every(Boolean)).toBe(true);
				expect(await hasCome(jobSemaphore.acquire(channel()))).toBe(false);
			},
		),
		{ numRuns: 60 },
	);
});
