import type { RateLimiter } from './rateLimiter';
import { MINUTE_MS } from './tuning';

/** Of the requests of a minute, for reads of single jobs. */
const SHARE = 0.5;

/** Reads that may go out at once after a pause: as many as the default number of slots. */
const AT_ONCE = 5;

/**
 * The share of the requests of a minute that all waits together may use to read single jobs: a read every
 * `gapMs`, and a few at once after a pause (a token bucket). Lists and last reads at a deadline take nothing
 * from it. Times are in ms on the monotonic clock.
 */
export class ReadBudget {
	private nextAt = -Infinity;

	constructor(private readonly rateLimiter: RateLimiter) {}

	/** Between two reads, whichever jobs they are of. */
	get gapMs(): number {
		return MINUTE_MS / (this.rateLimiter.limit * SHARE);
	}

	/** @returns whether a read may go out now */
	take(now: number): boolean {
		const { gapMs } = this;
		if (now < this.nextAt - (AT_ONCE - 1) * gapMs) return false;
		this.nextAt = Math.max(now, this.nextAt) + gapMs;
		return true;
	}

	/** The read has ended a wait, which makes room for the next one. */
	giveBack(): void {
		this.nextAt -= this.gapMs;
	}
}
