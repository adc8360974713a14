/**
 * How a server counts a minute. The specification does not say (Limits, Request rate), so a client
 * must suit all.
 */
export type Counting = 'sliding' | 'fixed' | 'bucket';

export interface RequestLimit {
	/**
	 * Whether a request that arrives now is served; a refused one does not count. Milliseconds since
	 * the epoch.
	 */
	admits(now: number): boolean;
}

const MINUTE = 60_000;

/** Any 60 s hold at most the limit. */
class SlidingWindow implements RequestLimit {
	private readonly served: number[] = [];

	private oldest = 0;

	constructor(private readonly limit: number) {}

	admits(now: number): boolean {
		while ((this.served[this.oldest] ?? Infinity) <= now - MINUTE) this.oldest += 1;
		if (this.served.length - this.oldest >= this.limit) return false;
		this.served.push(now);
		return true;
	}
}

/** Each minute of the clock holds at most the limit. */
class FixedWindow implements RequestLimit {
	private minute = -1;

	private served = 0;

	constructor(private readonly limit: number) {}

	admits(now: number): boolean {
		const minute = Math.floor(now / MINUTE);
		if (minute !== this.minute) this.served = 0;
		this.minute = minute;
		if (this.served >= this.limit) return false;
		this.served += 1;
		return true;
	}
}

/** A burst at once, and more as time passes. */
class TokenBucket implements RequestLimit {
	private tokens: number;

	private filledAt = 0;

	constructor(
		private readonly limit: number,
		private readonly burst: number,
	) {
		this.tokens = burst;
	}

	admits(now: number): boolean {
		const gained = ((now - this.filledAt) / MINUTE) * this.limit;
		this.tokens = Math.min(this.burst, this.tokens + gained);
		this.filledAt = now;
		// A token is there at the moment it is due, whatever the rounding of the sum.
		if (this.tokens < 1 - 1e-9) return false;
		this.tokens -= 1;
		return true;
	}
}

/**
 * @param limit requests a minute
 * @param burst requests at once, of a token bucket
 */
export function requestLimit(counting: Counting, limit: number, burst = limit): RequestLimit {
	if (counting === 'sliding') return new SlidingWindow(limit);
	return counting === 'fixed' ? new FixedWindow(limit) : new TokenBucket(limit, burst);
}
