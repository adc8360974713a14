import { Attempts, retryAfterMs } from '../../src/transport/retries';
import { retryReason } from '../../src/transport/statuses';
import { answer } from '../model/answers';
import { VirtualClock } from '../model/virtualClock';

const attemptsWith = (random: number) => new Attempts(new VirtualClock(), () => random);

function pauseAfter(status: number, headers: Record<string, string>, attempts: Attempts): number {
	const response = answer(status, undefined, headers);
	return attempts.pauseAfter(response, retryReason(response), true) ?? NaN;
}

test('a hint replaces the backoff, plus up to a second', () => {
	expect(pauseAfter(429, { 'retry-after': '7' }, attemptsWith(0))).toBe(7_000);
	expect(pauseAfter(429, { 'retry-after': '7' }, attemptsWith(0.999))).toBe(7_999);
	expect(pauseAfter(503, { 'retry-after': '3' }, attemptsWith(0.5))).toBe(3_500);
	expect(pauseAfter(429, { 'retry-after': '0' }, attemptsWith(0))).toBe(100);
});

test('a service that is down and asks for a short wait is not given up sooner than one that asks for none', () => {
	const total = (headers: Record<string, string>) => {
		const attempts = attemptsWith(0.5);
		return Array.from({ length: 6 }, () => pauseAfter(503, headers, attempts)).reduce(
			(sum, pauseMs) => sum + pauseMs,
		);
	};
	expect(total({ 'retry-after': '1' })).toBeGreaterThanOrEqual(total({}));
});

test('a date in Retry-After counts from that of the answer, whose clock may be hours off', () => {
	const headers = {
		'retry-after': 'Thu, 01 Jan 2026 05:00:30 GMT',
		date: 'Thu, 01 Jan 2026 05:00:20 GMT',
	};
	expect(retryAfterMs(headers, Date.parse('2026-01-01T00:00:00.000Z'))).toBe(10_000);
	expect(retryAfterMs(headers, Date.parse('2026-01-02T00:00:00.000Z'))).toBe(10_000);
});

test.each([
	[' 7 ', 7_000],
	['0.5', 500],
	['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
	['1000000000', 120_000],
	['-5', undefined],
	['7x', undefined],
	['Mon, 01 Dec 2025 00:00:00 GMT', undefined],
])('what a server asks for counts up to two minutes, if it is usable: %p', (text, ms) => {
	expect(retryAfterMs({ 'retry-after': text }, Date.parse('2026-01-01T00:00:00.000Z'))).toBe(ms);
});
