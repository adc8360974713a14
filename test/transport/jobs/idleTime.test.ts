import fc from '../../support/fastCheck';
import { idleUntil } from '../../../src/transport/jobs/idleTime';

test('a poll goes out when the slots that are probably free have been idle for the price', () => {
	// One job that ends at any time of 20 s: after 6 s it has ended with a probability of 0.3, half
	// of that on average.
	expect(idleUntil([{ from: 0, to: 20_000 }], 0, 900)).toBeCloseTo(6_000, -2);
	// Four of them are idle for that in half the time.
	const four = Array.from({ length: 4 }, () => ({ from: 0, to: 20_000 }));
	expect(idleUntil(four, 0, 900)).toBeCloseTo(3_000, -2);
});

test('it does not wait when no further end is near', () => {
	const spans = [
		{ from: 9_900, to: 10_000 },
		{ from: 60_000, to: 61_000 },
	];
	expect(idleUntil(spans, 0, 5_000)).toBe(10_000);
});

test('it waits for an end that is near', () => {
	const spans = [
		{ from: 9_900, to: 10_000 },
		{ from: 10_200, to: 10_300 },
	];
	expect(idleUntil(spans, 0, 5_000)).toBe(10_300);
});

test('what was idle before the last poll does not count again', () => {
	expect(idleUntil([{ from: 0, to: 20_000 }], 6_000, 900)).toBeGreaterThan(8_000);
});

test('without jobs there is no poll', () => {
	expect(idleUntil([], 0, 900)).toBe(Infinity);
});

test('whatever the spans and the price, the poll is never before the last one and never after all have ended', () => {
	const span = fc
		.tuple(fc.integer({ min: 0, max: 100_000 }), fc.integer({ min: 1, max: 100_000 }))
		.map(([from, length]) => ({ from, to: from + length }));
	fc.assert(
		fc.property(
			fc.array(span, { minLength: 1, maxLength: 8 }),
			fc.nat(200_000),
			fc.nat(20_000),
			(spans, since, price) => {
				const at = idleUntil(spans, since, price);
				expect(at).toBeGreaterThanOrEqual(since);
				expect(at).toBeLessThanOrEqual(Math.max(since, ...spans.map(({ to }) => to)));
			},
		),
	);
});
