/** Bounds of the time between two looks, in milliseconds. */
const SHORTEST_MS = 2_000;
const LONGEST_MS = 15_000;

/**
 * The time until the next look at a job of this age, in milliseconds: a tenth of its age, so that a wait is at most a
 * tenth longer than the job and a long job does not eat the request budget (60 a minute over all operations).
 */
export function pollInterval(ageMs: number): number {
	return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, ageMs / 10));
}

/** The same after looks that brought no answer: doubled with each, up to a minute. */
export function pollBackoff(ageMs: number, misses: number): number {
	return Math.min(60_000, pollInterval(ageMs) * 2 ** misses);
}
