/** No server may make an item wait longer than this for one more try, in milliseconds. */
export const LONGEST_HINT_MS = 120_000;

const DIGITS = /^\d{1,15}(\.\d{1,9})?$/;

/** A number is taken for a moment where it is one within this time of now, in milliseconds; nobody means so many seconds. */
const NEAR_MS = 30 * 86_400_000;

/** Some services give the moment itself, in seconds or milliseconds since the epoch, where a number of seconds belongs. */
function momentIn(number: number, now: number): number | undefined {
	return [number * 1000, number].find((at) => Math.abs(at - now) <= NEAR_MS);
}

/** Not a number where the text is neither; a date has letters in it. */
function secondsOrDate(text: string, now: number): number {
	if (DIGITS.test(text)) {
		const at = momentIn(Number(text), now);
		return at === undefined ? Number(text) * 1000 : at - now;
	}
	return /[a-z]/i.test(text) ? Date.parse(text) - now : Number.NaN;
}

/**
 * How long the service asks to wait, in milliseconds from `now`, at most `LONGEST_HINT_MS`; `undefined` where it
 * says nothing that can be used. Reads `Retry-After` (seconds or a date), then `RateLimit-Reset` (seconds); both may also be a
 * moment in seconds or milliseconds since the epoch.
 * Specification: Limits, "Rate-limit response headers and retry hints: not shown", hence no trust in either.
 */
export function retryAfterMs(headers: Record<string, string>, now: number): number | undefined {
	for (const name of ['retry-after', 'ratelimit-reset']) {
		const ms = secondsOrDate((headers[name] ?? '').trim(), now);
		if (ms >= 0) return Math.min(ms, LONGEST_HINT_MS);
	}
	return undefined;
}
