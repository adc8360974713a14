import fc from '../../support/fastCheck';
import { retryDelay, type Attempt } from '../../../src/transport/http/retry';
import { isOutcomeUnknown } from '../../../src/transport/http/statuses';
import { answer, LOST } from '../../../testing/answers';

const attempt = (more: Partial<Attempt> = {}): Attempt => ({
	number: 1,
	replayable: true,
	followsUnknown: false,
	now: Date.parse('2026-01-01T00:00:00.000Z'),
	random: () => 0.5,
	...more,
});

test.each([400, 401, 402, 403, 404, 409, 422, 301])('%i is final', (status) => {
	for (const replayable of [true, false]) {
		expect(retryDelay(answer(status), attempt({ replayable }))).toBeUndefined();
	}
});

test.each([408, 500, 501, 502, 503, 504, 520, 522, 524, 529, 530])(
	'%i is retried if the request is replayable',
	(status) => {
		expect(isOutcomeUnknown(answer(status))).toBe(true);
		expect(retryDelay(answer(status), attempt())).toBe(500);
		expect(retryDelay(answer(status), attempt({ replayable: false }))).toBeUndefined();
	},
);

test('a 409 after an unknown outcome is retried: the service may still be at work', () => {
	const busy = attempt({ followsUnknown: true });
	expect(retryDelay(answer(409), busy)).toBe(500);
	expect(retryDelay(answer(409), { ...busy, replayable: false })).toBeUndefined();
	expect(retryDelay(answer(409), { ...busy, number: 7 })).toBeUndefined();
	expect(isOutcomeUnknown(answer(409))).toBe(false);
	for (const status of [400, 401, 404]) {
		expect(retryDelay(answer(status), busy)).toBeUndefined();
	}
});

test('a lost response is retried only if the request is replayable', () => {
	expect(isOutcomeUnknown(LOST)).toBe(true);
	expect(retryDelay(LOST, attempt())).toBe(500);
	expect(retryDelay(LOST, attempt({ replayable: false }))).toBeUndefined();
});

test('a request that certainly never arrived has a known outcome, and is attempted 5 times whatever the method', () => {
	const refused = { noResponse: 'ECONNREFUSED', unsent: 'connection' } as const;
	expect(isOutcomeUnknown(refused)).toBe(false);
	expect(retryDelay(refused, attempt({ replayable: false }))).toBe(500);
	expect(retryDelay(refused, attempt({ number: 4 }))).toBe(4_000);
	expect(retryDelay(refused, attempt({ number: 5 }))).toBeUndefined();
});

test.each(['local', 'certificate'] as const)('a %s failure is final', (unsent) => {
	const failed = { noResponse: 'x', unsent };
	expect(isOutcomeUnknown(failed)).toBe(false);
	expect(retryDelay(failed, attempt())).toBeUndefined();
});

test('a 429 is retried whatever the method, because nothing was done', () => {
	expect(isOutcomeUnknown(answer(429))).toBe(false);
	expect(retryDelay(answer(429), attempt({ replayable: false }))).toBe(1_000);
});

test('transient faults get 7 attempts in all, a 429 gets 8', () => {
	expect(retryDelay(LOST, attempt({ number: 6 }))).toBeDefined();
	expect(retryDelay(LOST, attempt({ number: 7 }))).toBeUndefined();
	expect(retryDelay(answer(429), attempt({ number: 7 }))).toBeDefined();
	expect(retryDelay(answer(429), attempt({ number: 8 }))).toBeUndefined();
});

test('a hint replaces the backoff, plus up to a second', () => {
	const hinted = answer(429, undefined, { 'retry-after': '7' });
	expect(retryDelay(hinted, attempt({ random: () => 0 }))).toBe(7_000);
	expect(retryDelay(hinted, attempt({ random: () => 0.999 }))).toBe(7_999);
	expect(retryDelay(answer(503, undefined, { 'retry-after': '3' }), attempt())).toBe(3_500);
	expect(
		retryDelay(answer(429, undefined, { 'retry-after': '0' }), attempt({ random: () => 0 })),
	).toBe(100);
	expect(retryDelay(answer(429, undefined, { 'retry-after': '1e9' }), attempt())).toBe(1_000);
	expect(retryDelay(answer(429, undefined, { 'retry-after': '1000000000' }), attempt())).toBe(
		120_500,
	);
});

test.each(['0', '1', 'Thu, 01 Jan 1970 00:00:00 GMT'])(
	'a service that is down and asks for a short wait (%s) is not given up sooner than one that asks for none',
	(hint) => {
		const total = (headers: Record<string, string>) =>
			[1, 2, 3, 4, 5, 6]
				.map((number) => retryDelay(answer(503, undefined, headers), attempt({ number })) ?? NaN)
				.reduce((sum, delay) => sum + delay);
		expect(total({ 'retry-after': hint })).toBeGreaterThanOrEqual(total({}));
	},
);

test('full jitter: between 100 ms and the doubled, capped upper bound of each attempt', () => {
	const jitter = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
	fc.assert(
		fc.property(jitter, fc.integer({ min: 1, max: 7 }), (drawn, number) => {
			const delay = retryDelay(answer(429), attempt({ number, random: () => drawn })) ?? NaN;
			expect(delay).toBeGreaterThanOrEqual(100);
			expect(delay).toBeLessThanOrEqual(Math.min(60_000, 2_000 * 2 ** (number - 1)));
		}),
	);
	const steps = [1, 2, 3, 4].map((number) =>
		retryDelay(LOST, attempt({ number, random: () => 0.999999 })),
	);
	expect(steps.map((step) => Math.round(step ?? 0))).toEqual([1_000, 2_000, 4_000, 8_000]);
});

test('an unusable success leaves the outcome unknown; a redirect or a status below 200 does not', () => {
	const open = [199, 200, 202, 299, 300].map((status) =>
		isOutcomeUnknown(answer(status, 'cut off')),
	);
	expect(open).toEqual([false, true, true, true, false]);
	expect(retryDelay(answer(200, '{"id"'), attempt())).toBe(500);
	expect(retryDelay(answer(200, '{"id"'), attempt({ replayable: false }))).toBeUndefined();
});
