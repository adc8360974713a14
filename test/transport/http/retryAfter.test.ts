import fc from '../../support/fastCheck';
import { retryAfterMs } from '../../../src/transport/http/retryAfter';

const MAX_RETRY_AFTER_MS = 120_000;

const now = Date.parse('2026-01-01T00:00:00.000Z');
const hint = (text: string) => retryAfterMs({ 'retry-after': text }, now);

test.each([
	['seconds', '7', 7_000],
	['seconds with spaces around', ' 7 ', 7_000],
	['a fraction', '0.5', 500],
	['a fraction of many digits', '1.123456789', 1123.456789],
	['zero', '0', 0],
	['a future date', 'Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
	['seconds above the cap', '1000000000', MAX_RETRY_AFTER_MS],
	['a timestamp in seconds', String(now / 1000 + 20), 20_000],
	['a timestamp in milliseconds', String(now + 20_500), 20_500],
	['a timestamp above the cap', String(now / 1000 + 86_400), MAX_RETRY_AFTER_MS],
	['a timestamp at the end of the window', String(now / 1000 + 30 * 86_400), MAX_RETRY_AFTER_MS],
	['the current time', String(now / 1000), 0],
	['a date above the cap', 'Fri, 01 Jan 2027 00:00:00 GMT', MAX_RETRY_AFTER_MS],
])('a hint in %s is followed, up to the cap', (_name, text, expected) => {
	expect(hint(text)).toBe(expected);
});

test.each([
	'',
	' ',
	'-5',
	'NaN',
	'Infinity',
	'1e9',
	'0x10',
	'soon',
	'2026-01-01 00:00:30',
	'00:00:30',
	'1234567890123456',
	'1.0123456789',
	'x7',
	'7x',
	'Mon, 01 Dec 2025 00:00:00 GMT',
	String(now / 1000 - 5),
	String(now / 1000 - 30 * 86_400),
	String(now - 5_000),
])('an unusable hint is ignored: %p', (text) => {
	expect(hint(text)).toBeUndefined();
});

test('RateLimit-Reset is read if Retry-After is unusable', () => {
	expect(retryAfterMs({ 'ratelimit-reset': '4' }, now)).toBe(4_000);
	expect(retryAfterMs({ 'retry-after': 'NaN', 'ratelimit-reset': '4' }, now)).toBe(4_000);
	expect(retryAfterMs({ 'retry-after': '2', 'ratelimit-reset': '4' }, now)).toBe(2_000);
	expect(retryAfterMs({ 'ratelimit-reset': String(now / 1000 + 9) }, now)).toBe(9_000);
	expect(retryAfterMs({}, now)).toBeUndefined();
});

test('whatever a server sends, the wait is between 0 and the cap', () => {
	fc.assert(
		fc.property(
			fc.oneof(fc.string(), fc.integer().map(String), fc.double().map(String)),
			(text) => {
				const ms = hint(text);
				return ms === undefined || (ms >= 0 && ms <= MAX_RETRY_AFTER_MS);
			},
		),
	);
});
