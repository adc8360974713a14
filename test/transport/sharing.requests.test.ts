import fc from '../support/fastCheck';
import { Client } from '../../src/transport/client';
import { RateLimiter } from '../../src/transport/sharing';
import { answer, channelOf, LOST } from '../model/answers';
import { VirtualClock } from '../model/virtualClock';

const MINUTE = 60_000;

/** What the window of the rate limiter is longer than the service's minute. */
const MARGIN = 250;

const channel = (fairnessKey: string) => channelOf(async () => LOST, fairnessKey);

/** A request that takes 0.1 s. @returns when it went out */
async function pass(rateLimiter: RateLimiter, clock: VirtualClock, fairnessKey: string) {
	expect(await rateLimiter.acquire(channel(fairnessKey))).toBe(true);
	const acquired = clock.now();
	await clock.sleep(100);
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

/** The largest number of these times within any window of this length, excluding its end. */
function maxWithin(times: number[], length: number): number {
	const sorted = [...times].sort((a, b) => a - b);
	let first = 0;
	let max = 0;
	for (const [index, at] of sorted.entries()) {
		while ((sorted[first] ?? at) + length <= at) first += 1;
		max = Math.max(max, index - first + 1);
	}
	return max;
}

test('never more than the limit in any window, whenever between request and response the server counts', async () => {
	const request = fc.record({
		pause: fc.integer({ min: 0, max: 5_000 }),
		takes: fc.integer({ min: 0, max: 90_000 }),
		counted: fc.double({ min: 0, max: 1, noNaN: true }),
	});
	await fc.assert(
		fc.asyncProperty(
			fc.integer({ min: 1, max: 20 }),
			fc.array(request, { maxLength: 200 }),
			async (limit, wanted) => {
				const clock = new VirtualClock();
				const limiter = new RateLimiter(clock, limit);
				const counted: number[] = [];
				for (const { pause, takes, counted: part } of wanted) {
					await clock.pass(pause);
					await clock.run(limiter.acquire(channel('a')));
					counted.push(clock.now() + takes * part);
					clock.after(takes, () => limiter.release());
				}
				expect(maxWithin(counted, MINUTE + MARGIN)).toBeLessThanOrEqual(limit);
			},
		),
	);
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

test('a 429 while our own minute is full pauses all requests; a shorter pause does not end a longer one', async () => {
	const clock = new VirtualClock();
	const began = clock.now();
	const rateLimiter = new RateLimiter(clock, 2);
	const both = async () =>
		await clock.run(Promise.all(['a', 'b'].map((key) => pass(rateLimiter, clock, key))));
	await both();
	rateLimiter.throttled(90_000);
	rateLimiter.throttled(5_000);
	expect((await both()).map((at) => at - began)).toEqual([90_100, 90_100]);
});

describe('beside other clients of the workspace', () => {
	test('a process takes half of the requests, and all of them once the others are gone', () => {
		const others = { thereUntil: Infinity };
		const rateLimiter = new RateLimiter(new VirtualClock(), 60, others);
		expect(rateLimiter.requestsPerMinute).toBe(30);
		others.thereUntil = -Infinity;
		expect(rateLimiter.requestsPerMinute).toBe(60);
	});

	test('a refused read halves the limit, which then grows again', async () => {
		const clock = new VirtualClock();
		const rateLimiter = new RateLimiter(clock, 60, { thereUntil: Infinity });
		rateLimiter.throttled(5_000, true);
		expect(rateLimiter.requestsPerMinute).toBe(15);
		await clock.pass(MINUTE);
		expect(rateLimiter.requestsPerMinute).toBe(22);
		await clock.pass(MINUTE);
		expect(rateLimiter.requestsPerMinute).toBe(30);
		for (let each = 0; each < 10; each += 1) rateLimiter.throttled(5_000, true);
		expect(rateLimiter.requestsPerMinute).toBe(3);
	});

	test('reads that went out together and are refused halve the limit once', async () => {
		const clock = new VirtualClock();
		const rateLimiter = new RateLimiter(clock, 60);
		const client = new Client(rateLimiter, clock, () => 0.5);
		let refusals = 10;
		const slow = channelOf(async () => {
			await clock.sleep(100);
			refusals -= 1;
			return refusals >= 0 ? answer(429) : answer(200, {});
		});
		const read = { method: 'GET', path: '/generations' } as const;
		const reads = Array.from({ length: 10 }, async () => await client.request(slow, read));
		const ended = Promise.all(reads);
		await clock.pass(500);
		expect(rateLimiter.requestsPerMinute).toBe(30);
		for (const { ok } of await clock.run(ended)) expect(ok).toBe(true);
	});

	test('also where no list has shown them: who is alone keeps to the limit, and is not refused', async () => {
		const clock = new VirtualClock();
		const rateLimiter = new RateLimiter(clock, 60);
		rateLimiter.throttled(5_000, true);
		expect(rateLimiter.requestsPerMinute).toBe(30);
		const began = clock.now();
		expect(await clock.run(pass(rateLimiter, clock, 'a'))).toBe(began + 5_000);
	});

	test('anything else that is refused, such as a voice, slows nobody down while our own minute is not full', async () => {
		const clock = new VirtualClock();
		const rateLimiter = new RateLimiter(clock, 60, { thereUntil: Infinity });
		rateLimiter.throttled(5_000);
		expect(rateLimiter.requestsPerMinute).toBe(30);
		const began = clock.now();
		expect(await clock.run(pass(rateLimiter, clock, 'a'))).toBe(began);
	});
});
