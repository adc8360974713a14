import fc from '../support/fastCheck';
import { RateLimiter } from '../../src/service/rateLimiter';
import { channelOf } from '../model/answers';
import { VirtualClock } from '../model/virtualClock';

const MINUTE = 60_000;

/** What the window of the rate limiter is longer than the service's minute. */
const MARGIN = 250;

const channel = channelOf(async () => ({ noResponse: 'nothing is sent here' }));

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
					await clock.run(limiter.acquire(channel));
					counted.push(clock.now() + takes * part);
					clock.after(takes, () => limiter.release());
				}
				expect(maxWithin(counted, MINUTE + MARGIN)).toBeLessThanOrEqual(limit);
			},
		),
	);
});

test('a request leaves the window a full minute after its response, not after it was sent', async () => {
	const clock = new VirtualClock();
	const limiter = new RateLimiter(clock, 1);
	await limiter.acquire(channel);
	const sentAt = clock.now();
	const next = limiter.acquire(channel).then(() => clock.now() - sentAt);
	await clock.pass(MINUTE * 2);
	limiter.release();
	expect(await clock.run(next)).toBe(MINUTE * 3 + MARGIN);
});

test('a changed limit applies from the next request on', async () => {
	const clock = new VirtualClock();
	const limiter = new RateLimiter(clock, 2);
	let admitted = 0;
	const ask = async (limit: number) => {
		limiter.limit = limit;
		void limiter.acquire(channel).then(() => (admitted += 1));
		await clock.quiet();
		return admitted;
	};
	expect([await ask(2), await ask(2), await ask(2)]).toEqual([1, 2, 2]);
	expect(await ask(3)).toBe(3);
	expect(await ask(1)).toBe(3);
});
