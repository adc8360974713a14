/**
 * A sliding window of requests. A request counts from the moment that it is admitted until a whole window after its
 * answer: between the two nobody knows when the server counted it. So any window of the server's, sliding or fixed,
 * holds at most the limit of ours.
 */
export class SlidingWindow {
	private inFlight = 0;

	private readonly answered: number[] = [];

	constructor(private readonly windowMs: number) {}

	/** Requests that count now. */
	used(now: number): number {
		this.forget(now);
		return this.inFlight + this.answered.length;
	}

	/** Admits one request if there is room. */
	tryAcquire(now: number, limit: number): boolean {
		if (this.used(now) >= limit) return false;
		this.inFlight += 1;
		return true;
	}

	release(now: number): void {
		this.inFlight -= 1;
		this.answered.push(now);
	}

	/** When there will be room below the limit, or `undefined` while that depends on answers in flight. */
	nextFree(now: number, limit: number): number | undefined {
		const excess = this.used(now) - Math.max(1, limit);
		const last = this.answered[excess];
		return last === undefined ? undefined : last + this.windowMs;
	}

	private forget(now: number): void {
		while ((this.answered[0] ?? Infinity) + this.windowMs <= now) {
			this.answered.shift();
		}
	}
}
