/**
 * A sliding window of requests. A request counts from the moment that it is admitted until a whole window after its
 * answer: between the two nobody knows when the server counted it. So any window of the server's, sliding or fixed,
 * holds at most `limit` of ours.
 */
export class RateWindow {
	private inFlight = 0;

	private readonly answered: number[] = [];

	constructor(
		public limit: number,
		private readonly windowMs: number,
	) {}

	/** Admits one request if there is room. */
	tryEnter(now: number): boolean {
		this.forget(now);
		if (this.inFlight + this.answered.length >= this.limit) return false;
		this.inFlight += 1;
		return true;
	}

	leave(now: number): void {
		this.inFlight -= 1;
		this.answered.push(now);
	}

	/** When the next place falls free, or `undefined` while only answers in flight can free one. */
	nextFree(now: number): number | undefined {
		this.forget(now);
		const oldest = this.answered[0];
		return oldest === undefined ? undefined : oldest + this.windowMs;
	}

	private forget(now: number): void {
		while (this.answered.length > 0 && (this.answered[0] ?? now) + this.windowMs <= now) {
			this.answered.shift();
		}
	}
}
