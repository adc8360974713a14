/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import fc from '../../support/fastCheck';
import {
	channel,
	hasSettled,
	job,
	jobsThatEnd,
	never,
	permitOf,
	semaphoreOf,
} from '../../support/semaphore';
import { JobSemaphore } from '../../../src/transport/limits/jobSemaphore';
import type { Permit } from '../../../src/transport/limits/permit';
import { SharedUse } from '../../../src/transport/limits/sharedUse';
import { VirtualClock } from '../../../testing/virtualClock';

test('never more than the limit at a time, and fairness keys take turns', async () => {
	const jobSemaphore = semaphoreOf(2);
	const held = [
		await permitOf(jobSemaphore.acquire(channel())),
		await permitOf(jobSemaphore.acquire(channel())),
	];
	const batch = [jobSemaphore.acquire(channel()), jobSemaphore.acquire(channel())];
	const single = jobSemaphore.acquire(channel('b'));
	expect(await hasSettled(batch[0] as Promise<unknown>)).toBe(false);
	held[0]?.release();
	expect(await hasSettled(batch[0] as Promise<unknown>)).toBe(true);
	held[1]?.release();
	expect(await hasSettled(single)).toBe(true);
	expect(await hasSettled(batch[1] as Promise<unknown>)).toBe(false);
});

test('releasing a permit twice frees one slot', async () => {
	const jobSemaphore = semaphoreOf(1);
	const permit = await permitOf(jobSemaphore.acquire(channel()));
	permit.release();
	permit.release();
	await permitOf(jobSemaphore.acquire(channel()));
	expect(await hasSettled(jobSemaphore.acquire(channel()))).toBe(false);
});

test('cancelled in the queue: returns at once, and the slot goes to the next', async () => {
	const jobSemaphore = semaphoreOf(1);
	const permit = await permitOf(jobSemaphore.acquire(channel()));
	const abort = new AbortController();
	const cancelled = jobSemaphore.acquire(channel('a', abort.signal));
	const next = jobSemaphore.acquire(channel('b'));
	abort.abort();
	expect(await cancelled).toBeUndefined();
	expect(await jobSemaphore.acquire(channel('a', abort.signal))).toBeUndefined();
	permit.release();
	expect(await hasSettled(next)).toBe(true);
});

test('no slot is ever lost or doubled, whatever the order of acquire, release, abandon, end and cancel', async () => {
	const step = fc.record({
		act: fc.constantFrom('acquire', 'release', 'abandon', 'end', 'cancel'),
		at: fc.nat(20),
		fairnessKey: fc.constantFrom('a', 'b', 'c'),
	});
	await fc.assert(
		fc.asyncProperty(
			fc.integer({ min: 1, max: 4 }),
			fc.array(step, { maxLength: 60 }),
			async (limit, steps) => {
				const jobs = jobsThatEnd();
				const jobSemaphore = semaphoreOf(limit, jobs.awaitEnd);
				const held: Permit[] = [];
				const aborts: AbortController[] = [];
				let ids = 0;
				for (const { act, at, fairnessKey } of steps) {
					if (act === 'acquire') {
						const abort = new AbortController();
						aborts.push(abort);
						void jobSemaphore
							.acquire(channel(fairnessKey, abort.signal))
							.then((permit) => permit && held.push(permit));
					} else if (act === 'end') jobs.watched[at % jobs.watched.length]?.end();
					else if (act === 'cancel') aborts[at % aborts.length]?.abort();
					else {
						const permit = held.splice(at % Math.max(1, held.length), 1)[0];
						if (act === 'release') permit?.release();
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
				expect(await hasSettled(jobSemaphore.acquire(channel()))).toBe(false);
			},
		),
		{ numRuns: 60 },
	);
});

describe('where other clients use the workspace too', () => {
	function shared(limit: number) {
		const clock = new VirtualClock();
		// Lists cannot be had, so that what is free must be probed.
		const requestList = async () => true;
		const hooks = { awaitEnd: never, requestList, refused: () => true, throttled() {} };
		const jobSemaphore = new JobSemaphore(limit, clock, () => 0.5, new SharedUse(), hooks);
		const acquire = async () => await permitOf(jobSemaphore.acquire(channel()));
		return { clock, jobSemaphore, acquire };
	}

	test('a refused job frees its slot, which is tried again when the service asks for it, without anybody stirring', async () => {
		const { clock, jobSemaphore, acquire } = shared(2);
		(await acquire()).accepted(job('gen_1'));
		(await acquire()).refused(7_000);
		const waiting = jobSemaphore.acquire(channel());
		await clock.pass(6_999);
		expect(await hasSettled(waiting)).toBe(false);
		await clock.pass(2);
		expect(await hasSettled(waiting)).toBe(true);
	});

	test('once the service takes one more, the next follows at once', async () => {
		const { clock, jobSemaphore, acquire } = shared(4);
		(await acquire()).accepted(job('gen_1'));
		(await acquire()).refused(1_000);
		const [probe, next] = [jobSemaphore.acquire(channel()), jobSemaphore.acquire(channel())];
		await clock.pass(2_001);
		const probing = await permitOf(probe);
		expect(await hasSettled(next)).toBe(false);
		probing.accepted(job('gen_1'));
		expect(await hasSettled(next)).toBe(true);
	});

	test('reports when the service last accepted a job, if it ever did', async () => {
		const { clock, jobSemaphore, acquire } = shared(1);
		const permit = await acquire();
		expect(jobSemaphore.lastAccepted).toBe(-Infinity);
		permit.accepted(job('gen_1'));
		expect(jobSemaphore.lastAccepted).toBe(clock.monotonic());
	});

	test('no timer runs while all slots are taken', async () => {
		const { clock, jobSemaphore, acquire } = shared(1);
		await acquire();
		void jobSemaphore.acquire(channel());
		expect(clock.sleeping).toBe(0);
	});

	test('after a refusal, as many run as ran then: a slot that comes back is used at once', async () => {
		const { jobSemaphore, acquire } = shared(4);
		const first = await acquire();
		first.accepted(job('gen_1'));
		(await acquire()).accepted(job('gen_2'));
		(await acquire()).refused(600_000);
		const waiting = jobSemaphore.acquire(channel());
		expect(await hasSettled(waiting)).toBe(false);
		first.release();
		expect(await hasSettled(waiting)).toBe(true);
	});
});

describe('a list of what runs in the workspace', () => {
	/** A workspace of which a list can be had, and how often that was asked for. */
	function listing(
		limit: number,
		requestList: (at: number) => boolean | Promise<boolean> = () => true,
	) {
		const clock = new VirtualClock();
		const sharedUse = new SharedUse();
		const counts = { lists: 0, refused: 0, throttled: 0 };
		const jobSemaphore = new JobSemaphore(limit, clock, () => 0.5, sharedUse, {
			awaitEnd: never,
			requestList: async () => {
				counts.lists += 1;
				return await requestList(clock.monotonic());
			},
			refused: () => (counts.refused += 1) > 0,
			throttled: () => (counts.throttled += 1),
		});
		/** What a list shows that is sent now. */
		const shows = (...ids: string[]) => {
			sharedUse.listed(new Set(ids), ids, clock.monotonic());
			jobSemaphore.listed();
		};
		const acquire = async () => await permitOf(jobSemaphore.acquire(channel()));
		return { clock, sharedUse, counts, jobSemaphore, shows, acquire };
	}

	test.each([
		['free slots: the refusal was about the request rate', [], 1],
		['no free slot: it was not', ['x1', 'x2'], 0],
	])('shows after a refusal %s', async (_name, others, throttled) => {
		const { clock, counts, shows, acquire } = listing(3);
		(await acquire()).accepted(job('gen_1'));
		(await acquire()).refused();
		await clock.pass(10);
		shows('gen_1', ...others);
		expect(counts.throttled).toBe(throttled);
	});

	test('is asked for once a second while half of the slots are held back and the poller is at work', async () => {
		const { clock, counts, jobSemaphore, acquire } = listing(4, () => false);
		(await acquire()).accepted(job('gen_1'));
		(await acquire()).accepted(job('gen_2'));
		const third = jobSemaphore.acquire(channel());
		await clock.pass(3_500);
		expect(counts.lists).toBe(4);
		expect(await hasSettled(third)).toBe(false);
		await clock.pass(12_000);
		expect(await hasSettled(third)).toBe(true);
	});

	test('follows a refused creation, which is reported', async () => {
		const { counts, acquire } = listing(3);
		(await acquire()).accepted(job('gen_1'));
		(await acquire()).refused();
		expect(counts.refused).toBe(1);
	});

	test('is not asked for while all slots are taken by jobs of our own', async () => {
		const { counts, jobSemaphore, acquire } = listing(1);
		await acquire();
		void jobSemaphore.acquire(channel());
		await new Promise((resolve) => setImmediate(resolve));
		expect(counts.lists).toBe(0);
	});

	test('is asked for once at a time, however many wait', async () => {
		const { clock, counts, jobSemaphore, shows } = listing(
			1,
			async () => await never(channel(), job('x')),
		);
		shows('x');
		await clock.pass(60_000);
		for (let time = 0; time < 3; time += 1) void jobSemaphore.acquire(channel());
		await new Promise((resolve) => setImmediate(resolve));
		expect(counts.lists).toBe(1);
	});

	/** Somebody waits for the slot that another client has; the first list is asked for after about 10 s. */
	async function afterFirstList(onList: (sharedUse: SharedUse, at: number) => boolean) {
		const own: { use?: SharedUse } = {};
		const listed = listing(1, (at) => (own.use ? onList(own.use, at) : true));
		own.use = listed.sharedUse;
		listed.shows('x');
		await listed.clock.pass(1_000);
		const waiting = listed.jobSemaphore.acquire(channel());
		await listed.clock.pass(9_001);
		expect(listed.counts.lists).toBe(1);
		return { ...listed, waiting };
	}

	test.each<[string, (sharedUse: SharedUse, at: number) => boolean]>([
		['it has come', (use, at) => (use.listed(new Set(['x']), ['x'], at), true)],
		['somebody else was asking for one', () => false],
	])('is asked for again after a while: %s', async (_name, onList) => {
		const { clock, counts, waiting } = await afterFirstList(onList);
		await clock.pass(9_998);
		expect(counts.lists).toBe(1);
		await clock.pass(2);
		expect(counts.lists).toBe(2);
		expect(await hasSettled(waiting)).toBe(false);
	});

	test('that cannot be had is not waited for: one creation finds out', async () => {
		const { jobSemaphore, waiting } = await afterFirstList(() => true);
		expect(await hasSettled(waiting)).toBe(true);
		expect(await hasSettled(jobSemaphore.acquire(channel()))).toBe(false);
	});
});
