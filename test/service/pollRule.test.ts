import fc from '../support/fastCheck';
import { Durations, idleWorthALook, isWorthALook, type Span } from '../../src/service/pollRule';
import { TUNING } from '../../src/service/tuning';
import { seeded } from '../model/random';

const { idleMs, minLookMs, maxLookMs, knownEnds } = TUNING;

const TICK_MS = 250;

/** Age at which a single job is looked at next that was still running at this one. */
function nextLook(durations: Durations, age: number): number {
	const span = durations.span(age);
	const spans = span ? [span] : [];
	const latest = durations.nextLook(age);
	for (let at = age + 1_000; at < latest; at += TICK_MS)
		if (isWorthALook(spans, age, at, idleMs)) return at;
	return latest;
}

/** Looks at jobs one after another: how late each end was seen, in ms, and after how many looks. */
function lateness(durations: Durations, takes: number[]) {
	const late: number[] = [];
	const looks: number[] = [];
	for (const duration of takes) {
		let ran = 0;
		let count = 1;
		let age = nextLook(durations, 0);
		for (; age < duration; age = nextLook(durations, age)) {
			ran = age;
			count += 1;
		}
		durations.learn(ran, age, false);
		late.push(age - duration);
		looks.push(count);
	}
	return { late, looks };
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('a single job', () => {
	test('of unknown kind is looked at in steps of a tenth of its age, between 3 and 20 s', () => {
		const durations = new Durations();
		expect(nextLook(durations, 0)).toBe(3_000);
		expect(nextLook(durations, 10_000)).toBe(13_000);
		expect(nextLook(durations, 60_000)).toBe(66_000);
		expect(nextLook(durations, 600_000)).toBe(620_000);
	});

	test('of known kind is looked at about when such jobs end', () => {
		const durations = new Durations();
		durations.learn(9_000, 11_000, false);
		expect(nextLook(durations, 0)).toBeGreaterThan(9_000);
		expect(nextLook(durations, 0)).toBeLessThanOrEqual(11_000);
	});

	test.each([3_000, 5_000, 30_000, 120_000])(
		'where all take %i ms: after a few jobs the look is a second late at most',
		(duration) => {
			const { late } = lateness(new Durations(), Array<number>(25).fill(duration));
			expect(Math.max(...late.slice(8))).toBeLessThanOrEqual(1_000);
		},
	);

	test('of scattered durations takes a few looks, and is seen a few seconds late', () => {
		const random = seeded(1);
		const takes = Array.from({ length: 400 }, () => 30_000 * (0.8 + 0.4 * random()));
		const { late, looks } = lateness(new Durations(), takes);
		expect(mean(late)).toBeLessThan(2_500);
		expect(mean(looks)).toBeLessThan(5);
	});

	test.each([
		['faster', 12_000],
		['slower', 60_000],
	])('of a service that gets %s is noticed within a few jobs', (_name, duration) => {
		const durations = new Durations();
		lateness(durations, Array<number>(knownEnds).fill(30_000));
		const { late } = lateness(durations, Array<number>(2 * knownEnds).fill(duration));
		expect(mean(late.slice(-10))).toBeLessThanOrEqual(duration * 0.1);
	});

	test('whatever was learned, is first looked at after 2 s at the earliest, and then at least every 20 s', () => {
		const duration = fc.integer({ min: 0, max: 3_600_000 });
		fc.assert(
			fc.property(fc.array(fc.tuple(duration, duration)), duration, (seen, age) => {
				const durations = new Durations();
				for (const [a, b] of seen) durations.learn(Math.min(a, b), Math.max(a, b), false);
				const wait = nextLook(durations, age) - age;
				expect(wait).toBeGreaterThan(0);
				expect(wait).toBeLessThanOrEqual(maxLookMs);
			}),
		);
	});

	test('whose event is expected is looked at only once that is late', () => {
		const durations = new Durations();
		durations.learn(0, 30_000, true);
		expect(nextLook(durations, 0)).toBe(30_000 + minLookMs);
		expect(nextLook(durations, 33_000)).toBeLessThanOrEqual(37_000);
		durations.learn(0, 30_000, false);
		expect(nextLook(durations, 0)).toBeLessThanOrEqual(maxLookMs);
	});
});

describe('a list', () => {
	/** The first moment at which it is worth its request, in steps of 10 ms. */
	const dueAt = (spans: Span[], since: number, idle: number) => {
		for (let at = since; at <= 200_000; at += 10)
			if (isWorthALook(spans, since, at, idle)) return at;
		return Infinity;
	};

	test('goes out when the slots that are probably free have stood idle for so long', () => {
		// One job that ends at any time of 20 s: after 6 s it has ended with a probability of 0.3, half
		// of that on average.
		expect(dueAt([{ from: 0, to: 20_000 }], 0, 900)).toBeCloseTo(6_000, -2);
		// Four of them are idle for that in half the time.
		const four = Array.from({ length: 4 }, () => ({ from: 0, to: 20_000 }));
		expect(dueAt(four, 0, 900)).toBeCloseTo(3_000, -2);
	});

	test('does not wait when no further end is near, and waits for one that is', () => {
		const first = { from: 9_900, to: 10_000 };
		expect(dueAt([first, { from: 60_000, to: 61_000 }], 0, 5_000)).toBe(10_000);
		expect(dueAt([first, { from: 10_200, to: 10_300 }], 0, 5_000)).toBe(10_300);
	});

	test('does not count again what was idle before the last one', () => {
		expect(dueAt([{ from: 0, to: 20_000 }], 6_000, 900)).toBeGreaterThan(8_000);
	});

	test('does not go out without jobs', () => {
		expect(isWorthALook([], -Infinity, 0, 900)).toBe(false);
	});

	test('goes out once all have ended, whatever it is worth', () => {
		const span = fc
			.tuple(fc.integer({ min: 0, max: 100_000 }), fc.integer({ min: 1, max: 100_000 }))
			.map(([from, length]) => ({ from, to: from + length }));
		fc.assert(
			fc.property(
				fc.array(span, { minLength: 1, maxLength: 8 }),
				fc.oneof(fc.nat(200_000), fc.constant(-Infinity)),
				fc.nat(20_000),
				(spans, since, idle) => {
					const end = Math.max(...spans.map(({ to }) => to));
					expect(isWorthALook(spans, since, Math.max(end, since) + 1, idle)).toBe(true);
				},
			),
		);
	});

	test('waits until no further end is near where requests are scarce', () => {
		const five = (ms: number) => Array<number>(5).fill(ms);
		expect(idleWorthALook(five(120_000), 60)).toBe(5 * idleMs);
		expect(idleWorthALook(five(30_000), 20)).toBe(5 * idleMs);
		expect(idleWorthALook(five(30_000), 10)).toBe(Infinity);
		expect(idleWorthALook(five(5_000), 60)).toBe(Infinity);
		expect(idleWorthALook([Infinity, Infinity], 60)).toBe(2 * idleMs);
	});
});
