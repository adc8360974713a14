import { POLICIES, type Tuning } from './policies';

/**
 * How many requests may go out at once. A service may count a minute like a bucket that holds fewer
 * requests than its rate gives in a minute, so what goes beyond a burst is spread: at twice the
 * even pace, so that few are refused before it shows, and at the even pace once the service has
 * refused some although the minute allowed them. All times are in ms on the monotonic clock.
 */
export class Pacer {
	/** Requests at once that the service has shown to allow, and when it last did. */
	private learnedBurst = Infinity;

	private throttledAt = -Infinity;

	private sentAt = -Infinity;

	/** When all that was sent would have gone out at the even pace. */
	private evenAt = -Infinity;

	constructor(private readonly tuning: Tuning['rate'] = POLICIES.rate) {}

	/** When the next request fits; in the past if it does now. */
	nextFree(now: number, limit: number): number {
		const evenly = this.evenlyAt(now, limit);
		if (this.isLearned(now)) return evenly;
		return Math.min(evenly, this.sentAt + this.tuning.windowMs / limit / this.tuning.paceFactor);
	}

	/** Whether more than a burst has gone out, so that a refusal is likely to be about the rate. */
	isBeyondBurst(now: number, limit: number): boolean {
		return this.evenlyAt(now, limit) > now;
	}

	sent(now: number, limit: number): void {
		this.sentAt = now;
		this.evenAt = Math.max(this.evenAt, now) + this.tuning.windowMs / limit;
	}

	/** @param used our requests of the last minute when the service refused */
	throttled(now: number, used: number): void {
		const burst = Math.max(this.tuning.minRequests, used * this.tuning.burstFactor);
		this.learnedBurst = this.isLearned(now) ? Math.min(this.learnedBurst, burst) : burst;
		this.throttledAt = now;
	}

	private isLearned(now: number): boolean {
		return now - this.throttledAt < this.tuning.burstMemoryMs;
	}

	private evenlyAt(now: number, limit: number): number {
		const { minRequests, burstFactor, windowMs } = this.tuning;
		const usual = Math.max(minRequests, limit * burstFactor);
		const burst = this.isLearned(now) ? Math.min(usual, this.learnedBurst) : usual;
		// Whole milliseconds, because a sum of fractions is never quite the product.
		return Math.floor(this.evenAt - (burst - 1) * (windowMs / limit));
	}
}
