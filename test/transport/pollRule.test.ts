import fc from '../support/fastCheck';
import { Durations, isWorthALook } from '../../src/transport/pollRule';
import { TUNING } from '../../src/transport/tuning';

const { idleMs, minLookMs, maxLookMs } = TUNING;

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

describe('a single job', () => {
	test.each([3_000, 30_000])(
		'where all take %i ms: after a few jobs the look is a second late at most',
		(duration) => {
			const durations = new Durations();
			const late: number[] = [];
			for (let each = 0; each < 25; each += 1) {
				let ran = 0;
				let age = nextLook(durations, 0);
				for (; age < duration; age = nextLook(durations, age)) ran = age;
				durations.learn(ran, age, false);
				late.push(age - duration);
			}
			expect(Math.max(...late.slice(8))).toBeLessThanOrEqual(1_000);
		},
	);

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
