import fc from 'fast-check';
import { Funds } from '../../../src/transport/limits/creditGate';
import { RateLimit } from '../../../src/transport/limits/adaptiveRate';
import { Room } from '../../../src/transport/limits/adaptiveConcurrency';
import { lineOf } from '../../../testing/answers';
import { seeded } from '../../../testing/random';
import { VirtualClock } from '../../../testing/virtualClock';

describe('requests a minute, when others use the workspace too', () => {
	test('a 429 takes the limit below what we had used, and it comes back in five minutes', () => {
		const limit = new RateLimit(60);
		expect(limit.at(0)).toBe(60);
		limit.refused(0, 40);
		expect(limit.at(0)).toBe(36);
		expect(limit.at(150_000)).toBe(48);
		expect(limit.at(300_000)).toBe(60);
	});

	test('several refusals of one moment are one piece of news', () => {
		const limit = new RateLimit(60);
		for (const at of [0, 10, 999]) limit.refused(at, 40);
		expect(limit.at(999)).toBe(36);
	});

	test('something always goes on, and never more than the plan allows', () => {
		const refusal = fc.tuple(
			fc.integer({ min: 0, max: 600_000 }),
			fc.integer({ min: 0, max: 100 }),
		);
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 100 }), fc.array(refusal), (plan, refusals) => {
				const limit = new RateLimit(plan);
				let now = 0;
				for (const [later, used] of refusals) {
					now += later;
					limit.refused(now, used);
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
		const room = new Room(clock, () => 0.5);
		expect(room.admits(4)).toBe(true);
		room.refused(2);
		expect([room.admits(1), room.admits(2)]).toEqual([true, false]);
		await clock.pass(2_000);
		expect(room.admits(2)).toBe(true);
		expect(room.admits(2)).toBe(false);
		room.accepted(3);
		expect(room.admits(3)).toBe(true);
	});

	test('each refusal in a row doubles the time to the next try, a hint replaces it', async () => {
		const clock = new VirtualClock();
		const room = new Room(clock, () => 0.5);
		const waits: number[] = [];
		for (let time = 0; time < 7; time += 1) {
			room.refused(0);
			waits.push(room.probeAt - clock.monotonic());
		}
		expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
		room.refused(0, 7_000);
		expect(room.probeAt - clock.monotonic()).toBe(7_000);
	});
});

describe('credits that have run out', () => {
	const line = (signal?: AbortSignal) =>
		lineOf(async () => ({ lost: 'nothing is sent' }), 'a', signal);

	test('all who wait share one try every 20 seconds, and all go on when one succeeds', async () => {
		const clock = new VirtualClock();
		const funds = new Funds(clock);
		const started = clock.monotonic();
		funds.ranOut();
		const tried: number[] = [];
		const wait = async () => {
			expect(await funds.turn(line(), started + 3_600_000)).toBe(true);
			tried.push(clock.monotonic() - started);
			if (tried.length === 3) funds.areThere();
		};
		await clock.run(Promise.all(Array.from({ length: 10 }, wait)));
		expect(tried.slice(0, 3)).toEqual([20_000, 40_000, 60_000]);
		expect(tried.slice(3)).toEqual(Array.from({ length: 7 }, () => 60_000));
	});

	test('patience ends at its deadline, and at once with a cancel', async () => {
		const clock = new VirtualClock();
		const funds = new Funds(clock);
		expect(await funds.turn(line(), 0)).toBe(true);
		funds.ranOut();
		const deadline = clock.monotonic() + 5_000;
		expect(await clock.run(funds.turn(line(), deadline))).toBe(false);
		expect(clock.monotonic()).toBe(deadline);
		const abort = new AbortController();
		const waiting = funds.turn(line(abort.signal), clock.monotonic() + 3_600_000);
		await clock.quiet();
		abort.abort();
		expect(await clock.run(waiting)).toBe(false);
		expect(clock.monotonic()).toBe(deadline);
	});
});

test('the dice of the room are those that it is given', () => {
	const clock = new VirtualClock();
	const first = new Room(clock, seeded(1));
	const second = new Room(clock, seeded(1));
	first.refused(0);
	second.refused(0);
	expect(first.probeAt).toBe(second.probeAt);
});
