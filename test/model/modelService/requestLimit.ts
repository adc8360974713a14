/**
 * How a server counts a minute. The specification does not say (Limits, Request rate), so a client
 * must suit all.
 */
export type Counting = 'sliding' | 'fixed' | 'bucket';

export interface RequestLimit {
	/** Whether a request that arrives now is served. Milliseconds since the epoch. */
	admits(now: number): boolean;
	/** For how long none will be served, in milliseconds: what `Retry-After` would say. */
	waitMs(now: number): number;
}

const MINUTE = 60_000;

/** Any 60 s hold at most the limit. */
class SlidingWindow implements RequestLimit {
	private readonly counted: number[] = [];

	constructor(
		private readonly limit: number,
		private readonly countsRefused: boolean,
	) {}

	admits(now: number): boolean {
		const isServed = this.waitMs(now) === 0;
		if (isServed || this.countsRefused) this.counted.push(now);
		return isServed;
	}

	waitMs(now: number): number {
		while ((this.counted[0] ?? Infinity) <= now - MINUTE) this.counted.shift();
		const blocking = this.counted[this.counted.length - this.limit];
		return blocking === undefined ? 0 : blocking + MINUTE - now;
	}
}

/** Each minute of the clock holds at most the limit, so it does not matter whether refused ones count. */
class FixedWindow implements RequestLimit {
	private minute = -1;

	private served = 0;

	constructor(private readonly limit: number) {}

	admits(now: number): boolean {
		if (this.waitMs(now) > 0) return false;
		this.served += 1;
		return true;
	}

	waitMs(now: number): number {
		const minute = Math.floor(now / MINUTE);
		if (minute !== this.minute) this.served = 0;
		this.minute = minute;
		return this.served >= this.limit ? (minute + 1) * MINUTE - now : 0;
	}
}

/** A burst at once, and more as time passes. */
class TokenBucket implements RequestLimit {
	private tokens: number;

	private filledAt = 0;

	constructor(
		private readonly limit: number,
		private readonly burst: number,
		private readonly countsRefused: boolean,
	) {
		this.tokens = burst;
	}

	admits(now: number): boolean {
		const isServed = this.waitMs(now) === 0;
		if (isServed) this.tokens -= 1;
		// A storm would otherwise be punished for ever.
		else if (this.countsRefused) this.tokens = Math.max(-this.burst, this.tokens - 1);
		return isServed;
	}

	waitMs(now: number): number {
		const gained = ((now - this.filledAt) / MINUTE) * this.limit;
		this.tokens = Math.min(this.burst, this.tokens + gained);
		this.filledAt = now;
		// A token is there at the moment it is due, whatever the rounding of the sum.
		return this.tokens < 1 - 1e-9 ? ((1 - this.tokens) / this.limit) * MINUTE : 0;
	}
}

/**
 * @param limit requests a minute
 * @param burst requests at once, of a token bucket
 * @param countsRefused whether a request that is refused uses up the limit too
 */
export function requestLimit(
	counting: Counting,
	limit: number,
	burst = limit,
	countsRefused = false,
): RequestLimit {
	if (counting === 'fixed') return new FixedWindow(limit);
	return counting === 'sliding'
		? new SlidingWindow(limit, countsRefused)
		: new TokenBucket(limit, burst, countsRefused);
}
