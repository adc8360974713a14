import fc from 'fast-check';
import { CreditGate } from '../../../src/transport/limits/creditGate';
import { AdaptiveRate } from '../../../src/transport/limits/adaptiveRate';
import { AdaptiveConcurrency } from '../../../src/transport/limits/adaptiveConcurrency';
import { lineOf } from '../../../testing/answers';
import { seeded } from '../../../testing/random';
import { VirtualClock } from '../../../testing/virtualClock';

describe('requests a minute, when others use the workspace too', () => {
	test('a 429 takes the limit below what we had used, and it comes back in five minutes', () => {
		const limit = new AdaptiveRate(60);
		expect(limit.at(0)).toBe(60);
		limit.throttled(0, 40);
		expect(limit.at(0)).toBe(36);
		expect(limit.at(150_000)).toBe(48);
		expect(limit.at(300_000)).toBe(60);
	});

	test('several refusals of one moment are one piece of news', () => {
		const limit = new AdaptiveRate(60);
		for (const at of [0, 10, 999]) limit.throttled(at, 40);
		expect(limit.at(999)).toBe(36);
	});

	test('something always goes on, and never more than the plan allows', () => {
		const refusal = fc.tuple(
			fc.integer({ min: 0, max: 600_000 }),
			fc.integer({ min: 0, max: 100 }),
		);
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 100 }), fc.array(refusal), (plan, refusals) => {
				const limit = new AdaptiveRate(plan);
				let now = 0;
				for (const [later, used] of refusals) {
					now += later;
					limit.throttled(now, used);
					expect(limit.at(now)).toBeGreaterThanOrEqual(1);
					expect(limit.at(now)).toBeLessThanOrEqual(plan);
				}
			}),
		);
	});
});

describe('concurrent jobs, when others use the workspace too', () => {
	test('a refusal makes the room what runs now; one more is tried, and success opens it again', async () => {
		const clock = new VirtualClock();
		const concurrency = new AdaptiveConcurrency(clock, () => 0.5);
		expect(concurrency.admits(4)).toBe(true);
		concurrency.refused(2);
		expect([concurrency.admits(1), concurrency.admits(2)]).toEqual([true, false]);
		await clock.pass(2_000);
		expect(concurrency.admits(2)).toBe(true);
		expect(concurrency.admits(2)).toBe(false);
		concurrency.accepted(3);
		expect(concurrency.admits(3)).toBe(true);
	});

	test('each refusal in a row doubles the time to the next try, a hint replaces it', async () => {
		const clock = new VirtualClock();
		const concurrency = new AdaptiveConcurrency(clock, () => 0.5);
		const waits: number[] = [];
		for (let time = 0; time < 7; time += 1) {
			concurrency.refused(0);
			waits.push(concurrency.probeAt - clock.monotonic());
		}
		expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
		concurrency.refused(0, 7_000);
		expect(concurrency.probeAt - clock.monotonic()).toBe(7_000);
	});
});

describe('credits that have run out', () => {
	const channel = (signal?: AbortSignal) =>
		lineOf(async () => ({ noResponse: 'nothing is sent' }), 'a', signal);

	test('all who wait share one try every 20 seconds, and all go on when one succeeds', async () => {
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

	test('patience ends at its deadline, and at once with a cancel', async () => {
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

test('the dice of the room are those that it is given', () => {
	const clock = new VirtualClock();
	const first = new AdaptiveConcurrency(clock, seeded(1));
	const second = new AdaptiveConcurrency(clock, seeded(1));
	first.refused(0);
	second.refused(0);
	expect(first.probeAt).toBe(second.probeAt);
});
