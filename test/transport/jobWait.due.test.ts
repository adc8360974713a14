import fc from '../support/fastCheck';
import { isPollDue, JobDurations } from '../../src/transport/jobWait';
import { TUNING } from '../../src/transport/tuning';

const { minLookMs, maxLookMs } = TUNING;

const TICK_MS = 250;

/** Age at which a single job is looked at next that was still running at this one. */
function nextPoll(durations: JobDurations, age: number): number {
	const expectedEnd = durations.span(age);
	const dueAt = durations.nextLookAge(age);
	const job = { dueAt, expectedEnd, seenEndedMs: durations.seenEndedMs };
	for (let at = age + 1_000; at < dueAt; at += TICK_MS) if (isPollDue([job], at, 60)) return at;
	return dueAt;
}

describe('a single job', () => {
	test.each([3_000, 30_000])(
		'where all take %i ms: after a few jobs the look is a second late at most',
		(duration) => {
			const durations = new JobDurations();
			const late: number[] = [];
			for (let each = 0; each < 25; each += 1) {
				let ran = 0;
				let age = nextPoll(durations, 0);
				for (; age < duration; age = nextPoll(durations, age)) ran = age;
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
				const durations = new JobDurations();
				for (const [a, b] of seen) durations.learn(Math.min(a, b), Math.max(a, b), false);
				const wait = nextPoll(durations, age) - age;
				expect(wait).toBeGreaterThan(0);
				expect(wait).toBeLessThanOrEqual(maxLookMs);
			}),
		);
	});

	test('whose event is expected is looked at only once that is late', () => {
		const durations = new JobDurations();
		durations.learn(0, 30_000, true);
		expect(nextPoll(durations, 0)).toBe(30_000 + minLookMs);
		expect(nextPoll(durations, 33_000)).toBeLessThanOrEqual(37_000);
		durations.learn(0, 30_000, false);
		expect(nextPoll(durations, 0)).toBeLessThanOrEqual(maxLookMs);
	});
});

describe('several jobs are looked at', () => {
	/** When a look at jobs is due that take 20 to 30 s and began at these times. */
	function dueAfter(began: number[], requestsPerMinute: number): number {
		const durations = new JobDurations();
		durations.learn(10_000, 20_000 / 0.9, false);
		durations.learn(30_000, 40_000, false);
		const span = durations.span(0)!;
		const jobs = began.map((at) => ({
			dueAt: Infinity,
			expectedEnd: { from: at + span.from, to: at + span.to },
			seenEndedMs: durations.seenEndedMs,
		}));
		for (let now = 0; ; now += TICK_MS) if (isPollDue(jobs, now, requestsPerMinute)) return now;
	}

	test('as soon as their slots have probably stood idle for long enough', () => {
		// A second and a half in all: 900 ms are enough for three jobs.
		expect(dueAfter([0, 4_000, 8_000], 60)).toBeLessThan(26_000);
	});

	test('once all have probably ended, where the minute has no more requests than that takes', () => {
		expect(dueAfter([0, 4_000, 8_000], 8)).toBe(38_000);
	});

	test('without waiting for the youngest, where ends are seen so late that the minute has requests left', () => {
		const durations = new JobDurations();
		durations.learn(0, 6_600, false);
		for (let each = 0; each < 4; each += 1) durations.learn(6_700, 13_500, false);
		const { from, to } = durations.span(0)!;
		const jobs = [0, 0, 0, 0, 6_500].map((at) => ({
			dueAt: Infinity,
			expectedEnd: { from: at + from, to: at + to },
			seenEndedMs: durations.seenEndedMs,
		}));
		expect(isPollDue(jobs, 8_000, 60)).toBe(true);
	});
});
