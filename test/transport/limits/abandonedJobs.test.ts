import {
	channel,
	hasSettled,
	job,
	jobsThatEnd,
	permitOf,
	semaphoreOf,
} from '../../support/semaphore';

/** All slots are occupied by abandoned jobs. */
async function full(slots: number) {
	const jobs = jobsThatEnd();
	const jobSemaphore = semaphoreOf(slots, jobs.awaitEnd);
	for (let slot = 1; slot <= slots; slot += 1) {
		(await permitOf(jobSemaphore.acquire(channel()))).abandon(job(`gen_${slot}`));
	}
	return { jobSemaphore, ...jobs };
}

test('abandoned jobs are watched only while a caller needs a slot', async () => {
	const { jobSemaphore, watched, idsOn } = await full(2);
	expect(watched).toHaveLength(0);
	const abort = new AbortController();
	const waiting = jobSemaphore.acquire(channel('a', abort.signal));
	expect(idsOn()).toEqual(['gen_1', 'gen_2']);
	abort.abort();
	expect(await waiting).toBeUndefined();
	expect(idsOn()).toEqual([]);
});

test('all abandoned jobs are watched, and whichever ends first frees its slot', async () => {
	for (const first of [0, 1, 2]) {
		const { jobSemaphore, watched, idsOn } = await full(3);
		const waiting = jobSemaphore.acquire(channel());
		expect(watched).toHaveLength(3);
		watched[first]?.end();
		expect(await hasSettled(waiting)).toBe(true);
		expect(idsOn()).toEqual([]);
		expect(await hasSettled(jobSemaphore.acquire(channel()))).toBe(false);
	}
});

test('four abandoned jobs that have ended next to a slow one free four slots at once', async () => {
	const { jobSemaphore, watched } = await full(5);
	const waiting = Array.from({ length: 5 }, async () => await jobSemaphore.acquire(channel()));
	for (const { end } of watched.slice(1)) end();
	expect((await Promise.all(waiting.slice(0, 4))).every(Boolean)).toBe(true);
	expect(await hasSettled(waiting[4] as Promise<unknown>)).toBe(false);
});

test('abandoned jobs are not watched again when one of those who wait has got its slot', async () => {
	const { jobSemaphore, watched, idsOn } = await full(3);
	const waiting = [jobSemaphore.acquire(channel()), jobSemaphore.acquire(channel())];
	watched[0]?.end();
	expect(await hasSettled(waiting[0] as Promise<unknown>)).toBe(true);
	expect(watched).toHaveLength(3);
	expect(idsOn()).toEqual(['gen_1', 'gen_2', 'gen_3']);
});

test('abandoned jobs are watched for the next channel when the first is cancelled', async () => {
	const { jobSemaphore, watched, idsOn } = await full(1);
	const abort = new AbortController();
	const first = jobSemaphore.acquire(channel('a', abort.signal));
	const second = jobSemaphore.acquire(channel('b'));
	abort.abort();
	expect(await first).toBeUndefined();
	expect(await hasSettled(second)).toBe(false);
	expect(watched.map(({ fairnessKey }) => fairnessKey)).toEqual(['a', 'b']);
	expect(idsOn()).toEqual(['gen_1']);
	watched[1]?.end();
	expect(await hasSettled(second)).toBe(true);
});

test('a job abandoned while a caller waits is watched too', async () => {
	const { watched, awaitEnd } = jobsThatEnd();
	const jobSemaphore = semaphoreOf(1, awaitEnd);
	const permit = await permitOf(jobSemaphore.acquire(channel()));
	const waiting = jobSemaphore.acquire(channel());
	permit.abandon(job('gen_1'));
	expect(watched).toHaveLength(1);
	watched[0]?.end();
	expect(await hasSettled(waiting)).toBe(true);
});

test('a job abandoned twice occupies one slot', async () => {
	const jobSemaphore = semaphoreOf(2);
	const first = await permitOf(jobSemaphore.acquire(channel()));
	const second = await permitOf(jobSemaphore.acquire(channel()));
	first.abandon(job('gen_1'));
	second.abandon(job('gen_1'));
	expect(await hasSettled(jobSemaphore.acquire(channel()))).toBe(true);
	expect(await hasSettled(jobSemaphore.acquire(channel()))).toBe(false);
});

test('an abandoned permit that is released occupies nothing, and abandoning it again changes nothing', async () => {
	const jobSemaphore = semaphoreOf(1);
	const permit = await permitOf(jobSemaphore.acquire(channel()));
	permit.abandon(job('gen_1'));
	permit.abandon(job('gen_2'));
	permit.release();
	permit.abandon(job('gen_1'));
	const next = await permitOf(jobSemaphore.acquire(channel()));
	next.abandon(job('gen_1'));
	expect(await hasSettled(jobSemaphore.acquire(channel()))).toBe(false);
});

test('a watch that throws frees the slot and does not stop the queue', async () => {
	const jobSemaphore = semaphoreOf(1, async () => {
		throw new TypeError('Cannot convert object to primitive value');
	});
	(await permitOf(jobSemaphore.acquire(channel()))).abandon(job('gen_1'));
	expect(await hasSettled(jobSemaphore.acquire(channel()))).toBe(true);
});
