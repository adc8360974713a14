import fc from 'fast-check';
import { isOutcomeUnknown, retryDelay, type Try } from '../../../src/transport/client/retry';
import { answer, LOST } from '../../../testing/answers';

const made = (more: Partial<Try> = {}): Try => ({
	attempt: 1,
	replayable: true,
	now: Date.parse('2026-01-01T00:00:00.000Z'),
	random: () => 0.5,
	...more,
});

test.each([400, 401, 402, 403, 404, 409, 422, 301, 501])(
	'%i is final: one request tells',
	(status) => {
		for (const replayable of [true, false]) {
			expect(retryDelay(answer(status), made({ replayable }))).toBeUndefined();
		}
	},
);

test.each([408, 500, 502, 503, 504])(
	'%i is tried again where a repeat is the same act',
	(status) => {
		expect(isOutcomeUnknown(answer(status))).toBe(true);
		expect(retryDelay(answer(status), made())).toBe(500);
		expect(retryDelay(answer(status), made({ replayable: false }))).toBeUndefined();
	},
);

test('a lost answer is tried again only where a repeat is the same act', () => {
	expect(isOutcomeUnknown(LOST)).toBe(true);
	expect(retryDelay(LOST, made())).toBe(500);
	expect(retryDelay(LOST, made({ replayable: false }))).toBeUndefined();
});

test('what certainly never arrived is not unclear, and goes again whatever the method, 5 tries in all', () => {
	const refused = { noResponse: 'ECONNREFUSED', unsent: 'connection' } as const;
	expect(isOutcomeUnknown(refused)).toBe(false);
	expect(retryDelay(refused, made({ replayable: false }))).toBe(500);
	expect(retryDelay(refused, made({ attempt: 4 }))).toBe(4_000);
	expect(retryDelay(refused, made({ attempt: 5 }))).toBeUndefined();
});

test.each(['local', 'certificate'] as const)('a %s failure is final: one try tells', (unsent) => {
	const failed = { noResponse: 'x', unsent };
	expect(isOutcomeUnknown(failed)).toBe(false);
	expect(retryDelay(failed, made())).toBeUndefined();
});

test('a 429 is tried again whatever the method, as nothing was done', () => {
	expect(isOutcomeUnknown(answer(429))).toBe(false);
	expect(retryDelay(answer(429), made({ replayable: false }))).toBe(1_000);
});

test('passing faults get 7 tries in all, a limit gets 8', () => {
	expect(retryDelay(LOST, made({ attempt: 6 }))).toBeDefined();
	expect(retryDelay(LOST, made({ attempt: 7 }))).toBeUndefined();
	expect(retryDelay(answer(429), made({ attempt: 7 }))).toBeDefined();
	expect(retryDelay(answer(429), made({ attempt: 8 }))).toBeUndefined();
});

test('a hint replaces the dice, with up to a second on top', () => {
	const hinted = answer(429, undefined, { 'retry-after': '7' });
	expect(retryDelay(hinted, made({ random: () => 0 }))).toBe(7_000);
	expect(retryDelay(hinted, made({ random: () => 0.999 }))).toBe(7_999);
	expect(retryDelay(answer(503, undefined, { 'retry-after': '3' }), made())).toBe(3_500);
	expect(
		retryDelay(answer(429, undefined, { 'retry-after': '0' }), made({ random: () => 0 })),
	).toBe(100);
	expect(retryDelay(answer(429, undefined, { 'retry-after': '1e9' }), made())).toBe(1_000);
	expect(retryDelay(answer(429, undefined, { 'retry-after': '1000000000' }), made())).toBe(120_500);
});

test('full jitter: between 100 ms and the doubled, capped end of each step', () => {
	const dice = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
	fc.assert(
		fc.property(dice, fc.integer({ min: 1, max: 7 }), (rolled, attempt) => {
			const delay = retryDelay(answer(429), made({ attempt, random: () => rolled })) ?? NaN;
			expect(delay).toBeGreaterThanOrEqual(100);
			expect(delay).toBeLessThanOrEqual(Math.min(60_000, 2_000 * 2 ** (attempt - 1)));
		}),
	);
	const steps = [1, 2, 3, 4].map((attempt) =>
		retryDelay(LOST, made({ attempt, random: () => 0.999999 })),
	);
	expect(steps.map((step) => Math.round(step ?? 0))).toEqual([1_000, 2_000, 4_000, 8_000]);
});

test('a success that cannot be used leaves the outcome open; a redirect or what comes before an answer does not', () => {
	const open = [199, 200, 202, 299, 300].map((status) =>
		isOutcomeUnknown(answer(status, 'cut off')),
	);
	expect(open).toEqual([false, true, true, true, false]);
	expect(retryDelay(answer(200, '{"id"'), made())).toBe(500);
	expect(retryDelay(answer(200, '{"id"'), made({ replayable: false }))).toBeUndefined();
});
