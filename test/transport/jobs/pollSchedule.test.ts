import fc from '../../support/fastCheck';
import { idleUntil } from '../../../src/transport/jobs/idleTime';
import { PollSchedule } from '../../../src/transport/jobs/pollSchedule';
import { seeded } from '../../../testing/random';

/** What a poll costs, in slot-ms. */
const PRICE = 250;

/** Age at which a single job is polled next. */
function nextPoll(schedule: PollSchedule, kind: string, age: number): number {
	const range = schedule.endRange(kind, age);
	const due = range ? idleUntil([range], age, PRICE) : Infinity;
	return Math.max(age + 1_000, Math.min(schedule.next(kind, age), due));
}

/**
 * Polls jobs one after another by the schedule: how late each end was seen, in ms, and after how
 * many polls.
 */
function lateness(
	schedule: PollSchedule,
	durations: number[],
): { late: number[]; polls: number[] } {
	const late: number[] = [];
	const polls: number[] = [];
	for (const duration of durations) {
		let running = 0;
		let count = 1;
		let age = nextPoll(schedule, 'm', 0);
		for (; age < duration; age = nextPoll(schedule, 'm', age)) {
			running = age;
			count += 1;
		}
		schedule.learn('m', running, age);
		late.push(age - duration);
		polls.push(count);
	}
	return { late, polls };
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

test('a job of unknown kind is polled in steps of a tenth of its age, between 3 and 15 s', () => {
	const schedule = new PollSchedule();
	expect(nextPoll(schedule, 'm', 0)).toBe(3_000);
	expect(nextPoll(schedule, 'm', 10_000)).toBe(13_000);
	expect(nextPoll(schedule, 'm', 60_000)).toBe(66_000);
	expect(nextPoll(schedule, 'm', 600_000)).toBe(615_000);
});

test('a job of known kind is first polled about when such jobs end', () => {
	const schedule = new PollSchedule();
	for (let time = 0; time < 20; time += 1) schedule.learn('m', 9_000, 11_000);
	expect(nextPoll(schedule, 'm', 0)).toBeGreaterThan(8_000);
	expect(nextPoll(schedule, 'm', 0)).toBeLessThanOrEqual(11_000);
	expect(nextPoll(schedule, 'other', 0)).toBe(3_000);
});

test('a kind that has become faster is noticed', () => {
	const schedule = new PollSchedule();
	for (let time = 0; time < 20; time += 1) schedule.learn('m', 58_000, 60_000);
	for (let time = 0; time < 60; time += 1)
		schedule.learn('m', 0, Math.min(60_000, nextPoll(schedule, 'm', 0)));
	expect(nextPoll(schedule, 'm', 0)).toBeLessThan(30_000);
});

test('whatever was learned, the first poll is at least 2 s away, and no poll more than 15 minutes', () => {
	const duration = fc.integer({ min: 0, max: 3_600_000 });
	fc.assert(
		fc.property(fc.array(fc.tuple(duration, duration)), duration, (seen, age) => {
			const schedule = new PollSchedule();
			for (const [a, b] of seen) schedule.learn('m', Math.min(a, b), Math.max(a, b));
			const wait = nextPoll(schedule, 'm', age) - age;
			expect(wait).toBeGreaterThan(0);
			expect(wait).toBeLessThanOrEqual(900_000);
			if (age === 0) expect(wait).toBeGreaterThanOrEqual(2_000);
		}),
	);
});

test.each([3_000, 5_000, 30_000, 120_000])(
	'constant durations of %i ms: after a few jobs the poll is less than half a second late',
	(duration) => {
		const { late } = lateness(new PollSchedule(), Array<number>(40).fill(duration));
		expect(Math.max(...late.slice(8))).toBeLessThanOrEqual(500);
	},
);

test('scattered durations: a few polls per job, and a few seconds late', () => {
	const random = seeded(1);
	const durations = Array.from({ length: 400 }, () => 30_000 * (0.8 + 0.4 * random()));
	const { late, polls } = lateness(new PollSchedule(), durations);
	expect(mean(late)).toBeLessThan(3_000);
	expect(mean(polls)).toBeLessThan(5);
});

test.each([
	['faster', 12_000],
	['slower', 60_000],
])('a service that gets %s is noticed', (_name, duration) => {
	const schedule = new PollSchedule();
	lateness(schedule, Array<number>(30).fill(30_000));
	const { late } = lateness(schedule, Array<number>(100).fill(duration));
	expect(mean(late.slice(-10))).toBeLessThanOrEqual(duration * 0.1);
});

test('where ends are pushed, polling only catches lost events', () => {
	const schedule = new PollSchedule();
	schedule.learn('m', 0, 30_000, true);
	expect(nextPoll(schedule, 'm', 0)).toBe(35_000);
	expect(nextPoll(schedule, 'm', 35_000)).toBeLessThanOrEqual(40_000);
	schedule.learn('m', 0, 30_000, false);
	expect(nextPoll(schedule, 'm', 0)).toBeLessThanOrEqual(30_000);
});

test('what is learned about one kind does not apply to another', () => {
	const schedule = new PollSchedule();
	schedule.learn('m', 0, 30_000, true);
	expect(nextPoll(schedule, 'n', 0)).toBe(3_000);
});

test('a service that names the model of each job differently does not fill the memory', () => {
	const schedule = new PollSchedule();
	for (let each = 0; each < 5_000; each += 1) schedule.learn(`model ${each}`, 60_000, 61_000);
	const isKnown = (each: number) => nextPoll(schedule, `model ${each}`, 0) !== 3_000;
	expect(isKnown(4_999)).toBe(true);
	expect(isKnown(4_000)).toBe(true);
	expect(isKnown(3_999)).toBe(false);
	expect((schedule as unknown as { stats: Map<string, unknown> }).stats.size).toBe(1_000);
});
