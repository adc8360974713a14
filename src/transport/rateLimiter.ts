import { WaitQueue } from '../base/waitQueue';
import { WakeUp } from '../base/wakeUp';
import type { Clock, Channel } from '../base/types';
import type { OtherClients } from './otherClients';
import { MINUTE_MS, TUNING } from './tuning';

/** A little more than the service's minute, because its clock and ours do not run in step. */
const WINDOW_MS = MINUTE_MS + 250;

/** What is left however often reads are refused: a creation, a list and a read. */
const MIN_PER_MINUTE = 3;

/**
 * A sliding-window rate limiter for one workspace and process (specification: Limits, Request rate). A
 * request counts from its admission until a full window after its response, as nobody knows when in between
 * the service counted it.
 *
 * While others are there, a process takes its part of the requests. Alone it is never refused, so a refused
 * read shows that there are more of them: it halves the limit, which then grows again. Reads are
 * served before writes: a run whose jobs are not read would not end.
 */
export class RateLimiter {
	private readonly reads = new WaitQueue(false);
	private readonly writes = new WaitQueue(false);
	private inFlight = 0;
	/** When the responses came that still count. */
	private readonly responses: number[] = [];
	private pausedUntil = -Infinity;
	/** What the last refused read left, and when that was. */
	private cut = { to: Infinity, at: 0 };
	/** Whether the last request that was admitted reads. */
	private wasRead = false;
	/** When the last request was admitted, on the monotonic clock. */
	usedAt: number;
	private readonly wakeUp: WakeUp;

	constructor(
		private readonly clock: Clock,
		/** The configured limit: requests a minute, at least 1. */
		public limit: number,
		/** Who else uses the workspace; nobody where it is left out. */
		private readonly others: Pick<OtherClients, 'thereUntil'> = { thereUntil: -Infinity },
	) {
		this.usedAt = clock.monotonic();
		this.wakeUp = new WakeUp(clock, () => this.serve());
	}

	/** The limit at the moment. */
	get requestsPerMinute(): number {
		const now = this.clock.monotonic();
		const isAlone = now >= this.others.thereUntil;
		const part = isAlone ? this.limit : this.limit * TUNING.partBesideOthers;
		const minutes = (now - this.cut.at) / MINUTE_MS;
		const risen = this.cut.to * TUNING.growthPerMinute ** minutes;
		return Math.max(1, Math.floor(Math.min(part, risen)));
	}

	/** Whether a request would be sent at once. */
	get hasRoom(): boolean {
		const now = this.clock.monotonic();
		return now >= this.pausedUntil && this.used(now) < this.requestsPerMinute;
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
	 * The service answered 429. A refused read is about the requests of the minute. Anything else, such as
	 * a voice that is being made, may be refused for a reason of its own: that pauses all requests only if
	 * our own minute is full.
	 */
	throttled(waitMs: number, isRead = false): void {
		const now = this.clock.monotonic();
		const isFull = this.used(now) >= this.requestsPerMinute;
		if (isRead) {
			const to = Math.max(MIN_PER_MINUTE, this.requestsPerMinute * TUNING.partAfterRefusal);
			this.cut = { to, at: now };
		}
		if (isRead || isFull) this.pausedUntil = Math.max(this.pausedUntil, now + waitMs);
	}

	/** Reads first; but what creates and has waited for a minute has every second turn. */
	private nextQueue(now: number): WaitQueue<boolean> {
		const { since = now } = this.writes.next ?? {};
		const isOverdue = now - since >= MINUTE_MS && this.wasRead;
		return this.reads.size > 0 && !isOverdue ? this.reads : this.writes;
	}

	private serve(): void {
		if (this.reads.size + this.writes.size === 0) return;
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
