import { Pacer } from '../../../src/transport/limits/pacer';
import { RateLimiter } from '../../../src/transport/limits/rateLimiter';
import { SharedUse } from '../../../src/transport/limits/sharedUse';
import { channelOf } from '../../../testing/answers';
import { VirtualClock } from '../../../testing/virtualClock';

const LIMIT = 60;

/** Sends as many at once as fit now. */
function sendAll(pacer: Pacer, now: number): number {
	let sent = 0;
	while (pacer.nextFree(now, LIMIT) <= now && sent < 1_000) {
		pacer.sent(now, LIMIT);
		sent += 1;
	}
	return sent;
}

test('before any refusal half of a minute goes out at once, the rest about two a second', () => {
	const pacer = new Pacer();
	expect(sendAll(pacer, 0)).toBe(30);
	expect(pacer.nextFree(0, LIMIT)).toBeCloseTo(502, 0);
	expect(sendAll(pacer, 503)).toBe(1);
	expect(sendAll(pacer, 40_000)).toBe(30);
});

test('after a refusal half of what the minute held goes out at once, the rest about one a second', () => {
	const pacer = new Pacer();
	pacer.throttled(0, 40);
	expect(sendAll(pacer, 0)).toBe(20);
	expect(pacer.nextFree(0, LIMIT)).toBeCloseTo(1_004, 0);
	expect(sendAll(pacer, 10_050)).toBe(10);
});

test('what was sent before the refusal counts too', () => {
	const pacer = new Pacer();
	for (let each = 0; each < 40; each += 1) pacer.sent(0, LIMIT);
	pacer.throttled(0, 40);
	expect(sendAll(pacer, 20_000)).toBe(0);
	expect(sendAll(pacer, 40_200)).toBe(20);
});

test('a burst is never learned to be smaller than 4', () => {
	const pacer = new Pacer();
	pacer.throttled(0, 1);
	expect(sendAll(pacer, 0)).toBe(4);
});

test('the smallest burst is remembered for an hour after the last refusal', () => {
	const pacer = new Pacer();
	pacer.throttled(0, 20);
	pacer.throttled(1_800_000, 40);
	expect(sendAll(pacer, 5_399_999)).toBe(10);
	expect(sendAll(pacer, 5_500_000)).toBe(30);
	pacer.throttled(5_500_000, 50);
	expect(sendAll(pacer, 5_600_000)).toBe(25);
});

describe('a request limiter', () => {
	const channel = channelOf(async () => ({ noResponse: 'nothing is sent' }));

	function setUp() {
		const clock = new VirtualClock();
		const sharedUse = new SharedUse();
		const limiter = new RateLimiter(clock, LIMIT, sharedUse);
		/** When each of this many requests goes out, in ms from now. */
		const send = async (count: number) => {
			const started = clock.monotonic();
			const at: number[] = [];
			const one = async () => {
				await limiter.acquire(channel);
				limiter.release();
				at.push(clock.monotonic() - started);
			};
			await clock.run(Promise.all(Array.from({ length: count }, one)));
			return at;
		};
		return { clock, sharedUse, limiter, send };
	}

	const atOnce = (at: number[]) => at.filter((time) => time === 0).length;

	test('lets a burst through and then one request after the other, once it was refused', async () => {
		const { clock, limiter, send } = setUp();
		await send(30);
		limiter.throttled(0);
		await clock.pass(60_250);
		const at = await send(18);
		expect(atOnce(at)).toBe(15);
		expect(at.at(-1)).toBeGreaterThan(3_000);
	});

	test('learns nothing of bursts where others take from the minute', async () => {
		const { clock, sharedUse, limiter, send } = setUp();
		await send(10);
		sharedUse.listed(new Set(['x']), ['x'], clock.monotonic());
		limiter.throttled(0);
		await clock.pass(400_000);
		expect(atOnce(await send(20))).toBe(20);
	});

	test('takes a refused creation for its own doing only beyond a burst', async () => {
		const { clock, limiter, send } = setUp();
		await send(10);
		limiter.creationRefused();
		await clock.pass(70_000);
		expect(atOnce(await send(31))).toBe(30);
		limiter.creationRefused();
		await clock.pass(70_000);
		expect(atOnce(await send(17))).toBe(15);
	});
});
