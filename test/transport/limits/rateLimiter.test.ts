import { RateLimiter } from '../../../src/transport/limits/rateLimiter';
import { SharedUse } from '../../../src/transport/limits/sharedUse';
import { channelOf } from '../../../testing/answers';
import { VirtualClock } from '../../../testing/virtualClock';

const channel = (fairnessKey: string, signal?: AbortSignal) =>
	channelOf(async () => ({ noResponse: 'nothing is sent here' }), fairnessKey, signal);

async function pass(
	rateLimiter: RateLimiter,
	clock: VirtualClock,
	fairnessKey: string,
	takesMs = 100,
): Promise<number> {
	expect(await rateLimiter.acquire(channel(fairnessKey))).toBe(true);
	const acquired = clock.now();
	await clock.sleep(takesMs);
	rateLimiter.release();
	return acquired;
}

test('requests up to the limit are sent at once, the next one after the window', async () => {
	const clock = new VirtualClock();
	const rateLimiter = new RateLimiter(clock, 3);
	const started = clock.now();
	const all = Promise.all([1, 2, 3, 4].map(async () => await pass(rateLimiter, clock, 'a')));
	const waited = (await clock.run(all)).map((at) => at - started);
	expect(waited).toEqual([0, 0, 0, 60_350]);
});

test('a single request of another execution does not wait for a batch of 500', async () => {
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

test('cancelled in the queue: returns at once, and delays no one else', async () => {
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

test('a 429 pauses all requests, and a shorter pause does not end a longer one', async () => {
	const clock = new VirtualClock();
	const rateLimiter = new RateLimiter(clock, 60);
	const started = clock.now();
	rateLimiter.throttled(30_000);
	rateLimiter.throttled(5_000);
	const acquired = await clock.run(
		Promise.all(['a', 'b'].map(async (key) => await pass(rateLimiter, clock, key))),
	);
	expect(acquired.map((at) => at - started)).toEqual([30_000, 30_000]);
});

test('429s of requests that were in flight together count once, however late they come', async () => {
	const clock = new VirtualClock();
	const rateLimiter = new RateLimiter(clock, 60);
	const sendTen = async () =>
		await clock.run(
			Promise.all(Array.from({ length: 10 }, async () => await pass(rateLimiter, clock, 'a'))),
		);
	await sendTen();
	rateLimiter.throttled(5_000);
	expect(rateLimiter.requestsPerMinute).toBe(9);
	await clock.pass(4_000);
	const before = rateLimiter.requestsPerMinute;
	rateLimiter.throttled(0);
	expect(rateLimiter.requestsPerMinute).toBe(before);
	await clock.pass(61_000);
	await sendTen();
	rateLimiter.throttled(0);
	expect(rateLimiter.requestsPerMinute).toBe(9);
});

test('a limit below 1 is one request a minute', async () => {
	const clock = new VirtualClock();
	const rateLimiter = new RateLimiter(clock, 60);
	rateLimiter.limit = 0;
	expect(await clock.run(pass(rateLimiter, clock, 'a'))).toBe(
		Date.parse('2026-01-01T00:00:00.000Z'),
	);
});

describe('requests a minute for the rest of a run', () => {
	const sentTen = async (sharedUse = new SharedUse()) => {
		const clock = new VirtualClock();
		const rateLimiter = new RateLimiter(clock, 60, sharedUse);
		await clock.run(
			Promise.all(Array.from({ length: 10 }, async () => await pass(rateLimiter, clock, 'a'))),
		);
		return { clock, rateLimiter };
	};

	test('alone: the steady rate, so that the next run finds the minute as it is', async () => {
		const { rateLimiter } = await sentTen();
		expect(rateLimiter.requestsPerMinuteFor(15_000)).toBe(60);
	});

	test('with others: what the minute has left until the run ends', async () => {
		const sharedUse = new SharedUse();
		const { clock, rateLimiter } = await sentTen(sharedUse);
		sharedUse.listed(new Set(['other']), ['other'], clock.monotonic());
		// Of our 30 ten are spent, and none of these is free again within 15 s.
		expect(rateLimiter.requestsPerMinuteFor(15_000)).toBe(80);
		expect(rateLimiter.requestsPerMinuteFor(60_000)).toBe(30);
		await clock.pass(50_000);
		// The ten leave the minute 10 s from here.
		expect(rateLimiter.requestsPerMinuteFor(15_000)).toBe(120);
	});
});
