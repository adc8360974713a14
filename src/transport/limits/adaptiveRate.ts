/** Over this time after a 429 the learned limit grows back to the plan's, in milliseconds. */
const RECOVERY_MS = 300_000;

/** What is left to the others beyond what we had used when the service refused. */
const SHARE = 0.9;

/** However little others leave, something must go on. */
const LEAST = 4;

/**
 * How many requests a window may hold: the plan's, until the service says 429 although we kept to it. Then others use the
 * workspace too: the limit falls to a little below what we had used, and grows back slowly.
 */
export class AdaptiveRate {
	private learned = Infinity;

	private limitedAt = -Infinity;

	constructor(public plan: number) {}

	at(now: number): number {
		if (this.learned >= this.plan) return this.plan;
		const recovered = Math.min(1, (now - this.limitedAt) / RECOVERY_MS);
		return Math.floor(this.learned + (this.plan - this.learned) * recovered);
	}

	/** @param used requests of ours in the window when the service refused */
	throttled(now: number, used: number): void {
		// Several refusals of one moment are one piece of news.
		if (now - this.limitedAt < 1_000) return;
		this.learned = Math.max(Math.min(LEAST, this.plan), Math.min(this.at(now), used) * SHARE);
		this.limitedAt = now;
	}
}
