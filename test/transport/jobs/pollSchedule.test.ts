import fc from 'fast-check';
import { PollSchedule } from '../../../src/transport/jobs/pollSchedule';
import { seeded } from '../../../testing/random';

/** Looks at one job after the other as Pace says; the age at the first look that sees each ended, less its duration. */
function lateness(
	schedule: PollSchedule,
	durations: number[],
): { late: number[]; looks: number[] } {
	const late: number[] = [];
	const looks: number[] = [];
	for (const duration of durations) {
		let running = 0;
		let count = 1;
		let age = schedule.next('m', 0);
		for (; age < duration; age = schedule.next('m', age)) {
			running = age;
			count += 1;
		}
		schedule.learn('m', running, age);
		late.push(age - duration);
		looks.push(count);
	}
	return { late, looks };
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

test('a model not yet known is looked at in steps of a tenth of the age, between 2 and 15 s', () => {
	const schedule = new PollSchedule();
	expect(schedule.next('m', 0)).toBe(2_000);
	expect(schedule.next('m', 10_000)).toBe(12_000);
	expect(schedule.next('m', 60_000)).toBe(66_000);
	expect(schedule.next('m', 600_000)).toBe(615_000);
});

test('a known model is looked at first about when its jobs end', () => {
	const schedule = new PollSchedule();
	for (let time = 0; time < 20; time += 1) schedule.learn('m', 9_000, 11_000);
	expect(schedule.next('m', 0)).toBeGreaterThan(8_000);
	expect(schedule.next('m', 0)).toBeLessThanOrEqual(10_000);
	expect(schedule.next('other', 0)).toBe(2_000);
});

test('a model that has become faster is noticed', () => {
	const schedule = new PollSchedule();
	for (let time = 0; time < 20; time += 1) schedule.learn('m', 58_000, 60_000);
	for (let time = 0; time < 60; time += 1)
		schedule.learn('m', 0, Math.min(60_000, schedule.next('m', 0)));
	expect(schedule.next('m', 0)).toBeLessThan(30_000);
});

test('whatever was learned, the next look is 2 s away at least, and never beyond all measure', () => {
	const duration = fc.integer({ min: 0, max: 3_600_000 });
	fc.assert(
		fc.property(fc.array(fc.tuple(duration, duration)), duration, (seen, age) => {
			const schedule = new PollSchedule();
			for (const [a, b] of seen) schedule.learn('m', Math.min(a, b), Math.max(a, b));
			const wait = schedule.next('m', age) - age;
			expect(wait).toBeGreaterThan(0);
			expect(wait).toBeLessThanOrEqual(900_000);
			if (age === 0) expect(wait).toBeGreaterThanOrEqual(2_000);
		}),
	);
});

test.each([3_000, 5_000, 30_000, 120_000])(
	'durations of always %i ms: after a few jobs one look comes less than half a second late',
	(duration) => {
		const { late } = lateness(new PollSchedule(), Array<number>(40).fill(duration));
		expect(Math.max(...late.slice(8))).toBeLessThanOrEqual(500);
	},
);

test('scattered durations: a few looks a job, each a few seconds late', () => {
	const random = seeded(1);
	const durations = Array.from({ length: 400 }, () => 30_000 * (0.8 + 0.4 * random()));
	const { late, looks } = lateness(new PollSchedule(), durations);
	expect(mean(late)).toBeLessThan(3_000);
	expect(mean(looks)).toBeLessThan(5);
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

test('where ends are told, looking is only for news that get lost', () => {
	const schedule = new PollSchedule();
	schedule.learn('m', 0, 30_000, true);
	expect(schedule.next('m', 0)).toBe(35_000);
	expect(schedule.next('m', 35_000)).toBeLessThanOrEqual(40_000);
	schedule.learn('m', 0, 30_000, false);
	expect(schedule.next('m', 0)).toBeLessThanOrEqual(30_000);
});

test('what is learned of one model says nothing of another', () => {
	const schedule = new PollSchedule();
	schedule.learn('m', 0, 30_000, true);
	expect(schedule.next('n', 0)).toBe(2_000);
});

test('a service that names the model of each job differently does not fill the memory', () => {
	const schedule = new PollSchedule();
	for (let each = 0; each < 5_000; each += 1) schedule.learn(`model ${each}`, 60_000, 61_000);
	const isKnown = (each: number) => schedule.next(`model ${each}`, 0) !== 2_000;
	expect(isKnown(4_999)).toBe(true);
	expect(isKnown(4_000)).toBe(true);
	expect(isKnown(3_999)).toBe(false);
	expect((schedule as unknown as { stats: Map<string, unknown> }).stats.size).toBe(1_000);
});
