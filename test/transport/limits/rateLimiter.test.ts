import { RateLimiter } from '../../../src/transport/limits/rateLimiter';
import { lineOf } from '../../../testing/answers';
import { VirtualClock } from '../../../testing/virtualClock';

const channel = (owner: string, signal?: AbortSignal) =>
	lineOf(async () => ({ noResponse: 'nothing is sent here' }), owner, signal);

async function pass(
	rateLimiter: RateLimiter,
	clock: VirtualClock,
	owner: string,
	takesMs = 100,
): Promise<number> {
	expect(await rateLimiter.acquire(channel(owner))).toBe(true);
	const entered = clock.now();
	await clock.sleep(takesMs);
	rateLimiter.release();
	return entered;
}

test('requests up to the limit go at once, the next one after the window', async () => {
	const clock = new VirtualClock();
	const rateLimiter = new RateLimiter(clock, 3);
	const started = clock.now();
	const all = Promise.all([1, 2, 3, 4].map(async () => await pass(rateLimiter, clock, 'a')));
	const waited = (await clock.run(all)).map((at) => at - started);
	expect(waited).toEqual([0, 0, 0, 60_350]);
});

test('a single request of another owner does not wait for a batch of 500', async () => {
	const clock = new VirtualClock();
	const rateLimiter = new RateLimiter(clock, 60);
	const started = clock.now();
	const batch = Array.from({ length: 500 }, async () => await pass(rateLimiter, clock, 'batch'));
	await clock.quiet();
	const single = await clock.run(pass(rateLimiter, clock, 'single'));
	expect(single - started).toBeLessThanOrEqual(61_000);
	const last = Math.max(...(await clock.run(Promise.all(batch))));
	expect(last - started).toBeGreaterThan(480_000);
	expect(last - started).toBeLessThan(490_000);
});

test('cancelled in the queue: out at once, and nobody loses a turn by it', async () => {
	const clock = new VirtualClock();
	const rateLimiter = new RateLimiter(clock, 1);
	await clock.run(pass(rateLimiter, clock, 'a'));
	const abort = new AbortController();
	const cancelled = rateLimiter.acquire(channel('b', abort.signal));
	const next = pass(rateLimiter, clock, 'c');
	const before = clock.now();
	abort.abort();
	expect(await clock.run(cancelled)).toBe(false);
	expect(clock.now()).toBe(before);
	expect((await clock.run(next)) - before).toBeLessThanOrEqual(60_250);
	expect(await rateLimiter.acquire(channel('d', abort.signal))).toBe(false);
});

test('a refusal holds everybody, and a shorter one does not end it', async () => {
	const clock = new VirtualClock();
	const rateLimiter = new RateLimiter(clock, 60);
	const started = clock.now();
	rateLimiter.throttled(30_000);
	rateLimiter.throttled(5_000);
	const entered = await clock.run(
		Promise.all(['a', 'b'].map(async (owner) => await pass(rateLimiter, clock, owner))),
	);
	expect(entered.map((at) => at - started)).toEqual([30_000, 30_000]);
});

test('a limit below 1 is one request a minute', async () => {
	const clock = new VirtualClock();
	const rateLimiter = new RateLimiter(clock, 60);
	rateLimiter.plan = 0;
	expect(await clock.run(pass(rateLimiter, clock, 'a'))).toBe(
		Date.parse('2026-01-01T00:00:00.000Z'),
	);
});
