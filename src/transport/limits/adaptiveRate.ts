import { POLICIES, type Tuning } from './policies';

/**
 * Requests allowed per window: the configured limit, until the service answers 429 although we kept
 * to it. Then other clients use the workspace too: the limit falls a little below what we had used,
 * and slowly grows back.
 */
export class AdaptiveRate {
	private learnedLimit = Infinity;

	private throttledAt = -Infinity;

	constructor(
		public limit: number,
		private readonly tuning: Tuning['rate'] = POLICIES.rate,
	) {}

	at(now: number): number {
		if (this.learnedLimit >= this.limit) return this.limit;
		const recovered = Math.min(1, (now - this.throttledAt) / this.tuning.recoveryMs);
		return Math.floor(this.learnedLimit + (this.limit - this.learnedLimit) * recovered);
	}

	/** @param used our requests in the window when the service refused */
	throttled(now: number, used: number): void {
		const learned = Math.min(this.at(now), used) * this.tuning.backoffFactor;
		this.learnedLimit = Math.max(Math.min(this.tuning.minRequests, this.limit), learned);
		this.throttledAt = now;
	}
}
