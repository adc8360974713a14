import fc from '../../support/fastCheck';
import { CreditGate } from '../../../src/transport/limits/creditGate';
import { AdaptiveRate } from '../../../src/transport/limits/adaptiveRate';
import { channelOf } from '../../../testing/answers';
import { VirtualClock } from '../../../testing/virtualClock';

describe('requests per minute, when other clients use the workspace too', () => {
	test('a 429 lowers the limit below what we had used, and it recovers in five minutes', () => {
		const limit = new AdaptiveRate(60);
		expect(limit.at(0)).toBe(60);
		limit.throttled(0, 40);
		expect(limit.at(0)).toBe(36);
		expect(limit.at(150_000)).toBe(48);
		expect(limit.at(300_000)).toBe(60);
	});

	test('the limit is never below 1 and never above the configured one', () => {
		const refusal = fc.tuple(
			fc.integer({ min: 0, max: 600_000 }),
			fc.integer({ min: 0, max: 100 }),
		);
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 100 }), fc.array(refusal), (configured, refusals) => {
				const limit = new AdaptiveRate(configured);
				let now = 0;
				for (const [later, used] of refusals) {
					now += later;
					limit.throttled(now, used);
					expect(limit.at(now)).toBeGreaterThanOrEqual(1);
					expect(limit.at(now)).toBeLessThanOrEqual(configured);
				}
			}),
		);
	});
});

describe('when credits have run out', () => {
	const channel = (signal?: AbortSignal) =>
		channelOf(async () => ({ noResponse: 'nothing is sent' }), 'a', signal);

	test('all waiting items share one attempt every 20 seconds, and all continue when one succeeds', async () => {
		const clock = new VirtualClock();
		const creditGate = new CreditGate(clock);
		const started = clock.monotonic();
		creditGate.markEmpty();
		const tried: number[] = [];
		const wait = async () => {
			expect(await creditGate.mayTry(channel(), started + 3_600_000)).toBe(true);
			tried.push(clock.monotonic() - started);
			if (tried.length === 3) creditGate.markAvailable();
		};
		await clock.run(Promise.all(Array.from({ length: 10 }, wait)));
		expect(tried.slice(0, 3)).toEqual([20_000, 40_000, 60_000]);
		expect(tried.slice(3)).toEqual(Array.from({ length: 7 }, () => 60_000));
	});

	test('a wait ends at its deadline, and at once when cancelled', async () => {
		const clock = new VirtualClock();
		const creditGate = new CreditGate(clock);
		expect(await creditGate.mayTry(channel(), 0)).toBe(true);
		creditGate.markEmpty();
		const deadline = clock.monotonic() + 5_000;
		expect(await clock.run(creditGate.mayTry(channel(), deadline))).toBe(false);
		expect(clock.monotonic()).toBe(deadline);
		const abort = new AbortController();
		const waiting = creditGate.mayTry(channel(abort.signal), clock.monotonic() + 3_600_000);
		await clock.quiet();
		abort.abort();
		expect(await clock.run(waiting)).toBe(false);
		expect(clock.monotonic()).toBe(deadline);
	});
});
