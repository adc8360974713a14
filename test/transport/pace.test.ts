import fc from 'fast-check';
import { Pace } from '../../src/transport/pace';

test('a model not yet known is looked at in steps of a tenth of the age, between 2 and 15 s', () => {
	const pace = new Pace();
	expect(pace.next('m', 0)).toBe(2_000);
	expect(pace.next('m', 10_000)).toBe(12_000);
	expect(pace.next('m', 60_000)).toBe(66_000);
	expect(pace.next('m', 600_000)).toBe(615_000);
});

test('a known model is looked at first about when its jobs end', () => {
	const pace = new Pace();
	for (let time = 0; time < 20; time += 1) pace.learn('m', 9_000, 11_000);
	expect(pace.next('m', 0)).toBeGreaterThan(8_000);
	expect(pace.next('m', 0)).toBeLessThanOrEqual(10_000);
	expect(pace.next('other', 0)).toBe(2_000);
});

test('a model that has become faster is noticed', () => {
	const pace = new Pace();
	for (let time = 0; time < 20; time += 1) pace.learn('m', 58_000, 60_000);
	for (let time = 0; time < 60; time += 1) pace.learn('m', 0, Math.min(60_000, pace.next('m', 0)));
	expect(pace.next('m', 0)).toBeLessThan(30_000);
});

test('whatever was learned, the next look is 2 s away at least, and never beyond all measure', () => {
	const duration = fc.integer({ min: 0, max: 3_600_000 });
	fc.assert(
		fc.property(fc.array(fc.tuple(duration, duration)), duration, (seen, age) => {
			const pace = new Pace();
			for (const [a, b] of seen) pace.learn('m', Math.min(a, b), Math.max(a, b));
			const wait = pace.next('m', age) - age;
			expect(wait).toBeGreaterThan(0);
			expect(wait).toBeLessThanOrEqual(900_000);
			if (age === 0) expect(wait).toBeGreaterThanOrEqual(2_000);
		}),
	);
});
