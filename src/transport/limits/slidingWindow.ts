/**
 * A sliding window of requests. A request counts from its admission until a full window after its
 * response, because nobody knows when in between the server counted it. So no window of the server,
 * sliding or fixed, holds more than our limit.
 */
export class SlidingWindow {
	private inFlight = 0;

	/** When the responses came. */
	private readonly responses: number[] = [];

	constructor(private readonly windowMs: number) {}

	/** Requests that count now. */
	used(now: number): number {
		this.removeExpired(now);
		return this.inFlight + this.responses.length;
	}

	/** Those of the requests that have been sent that will still count at a later time. */
	stillUsed(later: number): number {
		const from = this.responses.findIndex((at) => at + this.windowMs > later);
		return this.inFlight + (from < 0 ? 0 : this.responses.length - from);
	}

	/** Admits one request if the limit allows it. */
	tryAcquire(now: number, limit: number): boolean {
		if (this.used(now) >= limit) return false;
		this.inFlight += 1;
		return true;
	}

	release(now: number): void {
		this.inFlight -= 1;
		this.responses.push(now);
	}

	/** When the next request fits; `undefined` while that depends on requests in flight. */
	nextFree(now: number, limit: number): number | undefined {
		const excess = this.used(now) - Math.max(1, limit);
		const last = this.responses[excess];
		return last === undefined ? undefined : last + this.windowMs;
	}

	private removeExpired(now: number): void {
		while ((this.responses[0] ?? Infinity) + this.windowMs <= now) {
			this.responses.shift();
		}
	}
}
