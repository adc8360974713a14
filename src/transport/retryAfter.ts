/** No server may make an item wait longer than this for one more try, in milliseconds. */
export const LONGEST_HINT_MS = 120_000;

const DIGITS = /^\d{1,15}(\.\d{1,9})?$/;

function secondsOrDate(text: string, now: number): number | undefined {
	if (DIGITS.test(text)) return Number(text) * 1000;
	const at = Date.parse(text);
	return Number.isNaN(at) || !/[a-z]/i.test(text) ? undefined : at - now;
}

/**
 * How long the service asks to wait, in milliseconds from `now`, at most `LONGEST_HINT_MS`; `undefined` where it
 * says nothing that can be used. Reads `Retry-After` (seconds or a date), then `RateLimit-Reset` (seconds).
 * Specification: Limits, "Rate-limit response headers and retry hints: not shown", hence no trust in either.
 */
export function retryAfterMs(headers: Record<string, string>, now: number): number | undefined {
	for (const name of ['retry-after', 'ratelimit-reset']) {
		const text = String(headers[name] ?? '').trim();
		const ms = text === '' ? undefined : secondsOrDate(text, now);
		if (ms !== undefined && ms >= 0) return Math.min(ms, LONGEST_HINT_MS);
	}
	return undefined;
}
