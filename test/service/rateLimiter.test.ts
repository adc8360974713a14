import { RateLimiter } from '../../src/service/rateLimiter';
import { OtherClients } from '../../src/service/otherClients';
import { channelOf } from '../../testing/answers';
import { VirtualClock } from '../../testing/virtualClock';

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

describe('where others use the workspace', () => {
	test('half of the requests are ours while the newest list shows running jobs of theirs, for a minute at most', async () => {
		const clock = new VirtualClock();
		const others = new OtherClients();
		const rateLimiter = new RateLimiter(clock, 61, others);
		expect(rateLimiter.requestsPerMinute).toBe(61);
		others.listed(['x1'], clock.monotonic());
		expect(rateLimiter.requestsPerMinute).toBe(30);
		await clock.pass(59_999);
		expect(rateLimiter.requestsPerMinute).toBe(30);
		await clock.pass(1);
		expect(rateLimiter.requestsPerMinute).toBe(61);
		others.listed(['x1'], clock.monotonic());
		others.listed([], clock.monotonic());
		expect(rateLimiter.requestsPerMinute).toBe(61);
	});

	test('a job of ours that a list showed before its acceptance was known does not count as theirs', async () => {
		const clock = new VirtualClock();
		const others = new OtherClients();
		const rateLimiter = new RateLimiter(clock, 60, others);
		others.listed(['gen_1'], clock.monotonic());
		others.created('gen_1');
		expect(rateLimiter.requestsPerMinute).toBe(60);
		others.listed([], clock.monotonic());
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
