import { POLICIES } from '../limits/policies';

const { maxRetryAfterMs } = POLICIES.apiCall;

const DIGITS = /^\d{1,15}(\.\d{1,9})?$/;

/**
 * A number this close to the current time, in ms, is a timestamp: no service asks to wait that many
 * seconds.
 */
const TIMESTAMP_WINDOW_MS = 30 * 86_400_000;

/**
 * Some services send a Unix timestamp, in seconds or milliseconds, instead of a number of seconds.
 */
function asTimestamp(number: number, now: number): number | undefined {
	return [number * 1000, number].find((at) => Math.abs(at - now) <= TIMESTAMP_WINDOW_MS);
}

/** Milliseconds from now; `NaN` for a text that is neither a number nor a date. */
function parseDelay(text: string, now: number): number {
	if (DIGITS.test(text)) {
		const at = asTimestamp(Number(text), now);
		return at === undefined ? Number(text) * 1000 : at - now;
	}
	// A date has letters in it: Date.parse alone would also accept texts such as "2026-01-01".
	return /[a-z]/i.test(text) ? Date.parse(text) - now : Number.NaN;
}

/**
 * How long the service asks to wait, in ms from `now`, at most `maxRetryAfterMs`; `undefined` if it
 * gives no usable hint. Reads `Retry-After` (seconds or a date), then `RateLimit-Reset` (seconds);
 * both may also be a Unix timestamp. Specification: Limits, "Rate-limit response headers and retry
 * hints: not shown", so neither is trusted.
 */
export function retryAfterMs(headers: Record<string, string>, now: number): number | undefined {
	for (const name of ['retry-after', 'ratelimit-reset']) {
		const ms = parseDelay((headers[name] ?? '').trim(), now);
		if (ms >= 0) return Math.min(ms, maxRetryAfterMs);
	}
	return undefined;
}
