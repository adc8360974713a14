import { WaitQueue } from '../base/waitQueue';
import { WakeUp } from '../base/wakeUp';
import type { Clock, Channel } from '../base/types';
import { MINUTE_MS, TUNING } from './tuning';

/** A little more than the service's minute, because its clock and ours do not run in step. */
const WINDOW_MS = MINUTE_MS + 250;

/**
 * A sliding-window rate limiter for one workspace and process (specification: Limits, Request rate). A request counts
 * from its admission until a full window after its response, as nobody knows when in between the service counted it.
 *
 * Beside other clients the limit adapts by AIMD: a refused read cuts it to 0.7 of what was used in the last
 * minute, at least 3; it then rises by 3 a minute up to the configured limit. Reads are served before writes: a run
 * whose jobs are not read would not end.
 */
export class RateLimiter {
	private readonly reads = new WaitQueue(false);
	private readonly writes = new WaitQueue(false);
	private inFlight = 0;
	/** When the responses came that still count. */
	private readonly responses: number[] = [];
	private pausedUntil = -Infinity;
	/** What the last refused read cut the limit to, and when that was. */
	private lastDecrease = { to: Infinity, at: 0 };
	/** Whether the last request that was admitted reads. */
	private wasRead = false;
	/** When the last request was admitted, on the monotonic clock. */
	usedAt: number;
	private readonly wakeUp: WakeUp;

	constructor(
		private readonly clock: Clock,
		/** The configured limit: requests a minute, at least 1. */
		public limit: number,
		/** Whether lists have lately shown other clients of the workspace. */
		private readonly areOthersSeen: () => boolean = () => false,
	) {
		this.usedAt = clock.monotonic();
		this.wakeUp = new WakeUp(clock, () => this.serve());
	}

	/** The limit at the moment: less than the configured one for some minutes after a refused read. */
	get requestsPerMinute(): number {
		const minutes = (this.clock.monotonic() - this.lastDecrease.at) / MINUTE_MS;
		const increased = this.lastDecrease.to + minutes * TUNING.increasePerMinute;
		return Math.max(1, Math.floor(Math.min(this.limit, increased)));
	}

	private used(now: number): number {
		while ((this.responses[0] ?? Infinity) + WINDOW_MS <= now) this.responses.shift();
		return this.inFlight + this.responses.length;
	}

	/** Waits until a request may be sent: `false` if the channel was cancelled. */
	acquire(channel: Channel, isRead = false): Promise<boolean> {
		const pending = (isRead ? this.reads : this.writes).wait(channel, this.clock.monotonic());
		this.serve();
		return pending;
	}

	/** To be called after every acquired request. */
	release(): void {
		this.inFlight -= 1;
		this.responses.push(this.clock.monotonic());
		this.serve();
	}

	/**
	 * The service answered 429. While others are seen, a refused read shows that they have filled the
	 * minute. Alone, and for anything else, such as a voice that is being made, the refusal may have a
	 * reason of its own: it pauses all requests only if our own minute is full.
	 */
	throttled(waitMs: number, isRead = false): void {
		const now = this.clock.monotonic();
		const used = this.used(now);
		const isFull = used >= this.requestsPerMinute;
		const isShared = isRead && this.areOthersSeen();
		if (isShared) {
			const to = Math.max(TUNING.floorPerMinute, used * TUNING.decreaseFactor);
			this.lastDecrease = { to, at: now };
		}
		if (isShared || isFull) this.pausedUntil = Math.max(this.pausedUntil, now + waitMs);
	}

	/** Reads first; but what creates and has waited for a minute has every second turn. */
	private nextQueue(now: number): WaitQueue<boolean> {
		const { since = now } = this.writes.next ?? {};
		const isOverdue = now - since >= MINUTE_MS && this.wasRead;
		return this.reads.size > 0 && !isOverdue ? this.reads : this.writes;
	}

	private serve(): void {
		const now = this.clock.monotonic();
		const limit = this.requestsPerMinute;
		for (;;) {
			const queue = this.nextQueue(now);
			if (queue.size === 0) return;
			if (now < this.pausedUntil) return this.wakeUp.set(this.pausedUntil);
			if (this.used(now) >= limit)
				return this.wakeUp.set((this.responses[0] ?? Infinity) + WINDOW_MS);
			this.inFlight += 1;
			this.usedAt = now;
			this.wasRead = queue === this.reads;
			queue.grant(true);
		}
	}
}
