import { RateLimiter } from '../../src/service/rateLimiter';
import { channelOf } from '../model/answers';
import { VirtualClock } from '../model/virtualClock';

const MINUTE = 60_000;

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

test('what reads goes before what creates', async () => {
	const clock = new VirtualClock();
	const rateLimiter = new RateLimiter(clock, 1);
	await clock.run(pass(rateLimiter, clock, 'a'));
	const order: string[] = [];
	const one = async (name: string, isRead: boolean) => {
		await rateLimiter.acquire(channel('a'), isRead);
		order.push(name);
		rateLimiter.release();
	};
	const creations = ['first', 'second'].map(async (name) => await one(name, false));
	await clock.pass(1_000);
	await clock.run(Promise.all([...creations, one('read', true)]));
	expect(order).toEqual(['read', 'first', 'second']);
});

test('a creation that has waited for a minute has every second turn, however many reads there are', async () => {
	const clock = new VirtualClock();
	const rateLimiter = new RateLimiter(clock, 10);
	const order: string[] = [];
	let hasEnded = false;
	const one = async (name: string, isRead: boolean) => {
		await rateLimiter.acquire(channel(name), isRead);
		order.push(name);
		rateLimiter.release();
	};
	const reader = async () => {
		while (!hasEnded) await one('read', true);
	};
	const readers = Array.from({ length: 30 }, reader);
	await clock.pass(1_000);
	const began = clock.monotonic();
	await clock.run(Promise.all(['1st', '2nd', '3rd'].map(async (name) => await one(name, false))));
	hasEnded = true;
	expect(clock.monotonic() - began).toBeLessThanOrEqual(120_000);
	const from = order.indexOf('1st');
	expect(order.slice(from, from + 5)).toEqual(['1st', 'read', '2nd', 'read', '3rd']);
	await clock.run(Promise.all(readers));
});

describe('a 429', () => {
	const startedAt = Date.parse('2026-01-01T00:00:00.000Z');

	test('while our own minute is full pauses all requests; a shorter pause does not end a longer one', async () => {
		const clock = new VirtualClock();
		const rateLimiter = new RateLimiter(clock, 2);
		await clock.run(
			Promise.all(['a', 'b'].map(async (key) => await pass(rateLimiter, clock, key))),
		);
		rateLimiter.throttled(90_000);
		rateLimiter.throttled(5_000);
		const next = await clock.run(
			Promise.all(['a', 'b'].map(async (key) => await pass(rateLimiter, clock, key))),
		);
		expect(next.map((at) => at - startedAt)).toEqual([90_100, 90_100]);
	});

	test('while it is not full concerns only its own request', async () => {
		const clock = new VirtualClock();
		const rateLimiter = new RateLimiter(clock, 3);
		await clock.run(pass(rateLimiter, clock, 'a'));
		rateLimiter.throttled(90_000);
		const next = await clock.run(
			Promise.all(['a', 'b'].map(async (key) => await pass(rateLimiter, clock, key))),
		);
		expect(next.map((at) => at - startedAt)).toEqual([100, 100]);
	});
});

describe('a read that is refused, as others use the workspace too', () => {
	/** The limit of 60, after so many requests in the last minute and a refused read. */
	async function refusedAfter(requests: number, areOthersSeen = true) {
		const clock = new VirtualClock();
		const rateLimiter = new RateLimiter(clock, 60, () => areOthersSeen);
		for (let each = 0; each < requests; each += 1) await clock.run(pass(rateLimiter, clock, 'a'));
		rateLimiter.throttled(5_000, true);
		return { clock, rateLimiter };
	}

	test.each([
		[30, 21],
		[10, 7],
		[1, 3],
	])('cuts the limit to 0.7 of the %i requests that were used: %i', async (used, left) => {
		const { rateLimiter } = await refusedAfter(used);
		expect(rateLimiter.requestsPerMinute).toBe(left);
	});

	test('from where it rises by 3 a minute, up to the configured one', async () => {
		const { clock, rateLimiter } = await refusedAfter(30);
		await clock.pass(MINUTE);
		expect(rateLimiter.requestsPerMinute).toBe(24);
		await clock.pass(12 * MINUTE);
		expect(rateLimiter.requestsPerMinute).toBe(60);
		await clock.pass(60 * MINUTE);
		expect(rateLimiter.requestsPerMinute).toBe(60);
	});

	test('pauses all requests as long as the service asks', async () => {
		const { clock, rateLimiter } = await refusedAfter(3);
		const began = clock.now();
		expect(await clock.run(pass(rateLimiter, clock, 'a'))).toBeGreaterThanOrEqual(began + 5_000);
	});

	test('cuts and pauses nothing while nobody else is seen: the service may refuse for a reason of its own', async () => {
		const { clock, rateLimiter } = await refusedAfter(10, false);
		expect(rateLimiter.requestsPerMinute).toBe(60);
		const began = clock.now();
		expect(await clock.run(pass(rateLimiter, clock, 'a'))).toBe(began);
	});

	test('a creation that is refused cuts nothing: its reason may be its own', async () => {
		const clock = new VirtualClock();
		const rateLimiter = new RateLimiter(clock, 60);
		await clock.run(pass(rateLimiter, clock, 'a'));
		rateLimiter.throttled(5_000);
		expect(rateLimiter.requestsPerMinute).toBe(60);
	});
});

test('a limit below 1 is one request a minute', async () => {
	const clock = new VirtualClock();
	const rateLimiter = new RateLimiter(clock, 60);
	rateLimiter.limit = 0;
	expect(await clock.run(pass(rateLimiter, clock, 'a'))).toBe(
		Date.parse('2026-01-01T00:00:00.000Z'),
	);
});
