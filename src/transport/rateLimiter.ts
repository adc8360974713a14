import { MINUTE_MS } from '../base/times';
import { WaitQueue } from '../base/waitQueue';
import { WakeUp } from '../base/wakeUp';
import type { Clock, Channel } from '../base/types';
import type { OtherClients } from './otherClients';
import { TUNING } from './tuning';

/** A little more than the minute of the service, because its clock and ours do not run in step. */
const WINDOW_MS = MINUTE_MS + 250;

/** However often reads are refused, so many requests a minute are left: a creation, a list and a read. */
const MIN_PER_MINUTE = 3;

/**
 * A sliding-window rate limiter for one workspace in this process (specification: Limits, Request rate). A
 * request counts from the moment it may be sent until a full window after its response, because nobody knows
 * when in between the service has counted it.
 *
 * While others use the workspace, this process takes only its part of the requests. Alone it is never
 * refused. So a refused read shows that others take more: it halves the limit, which then grows again by half
 * each minute, such as from 60 to 30 requests, and to 45 a minute later. Reads are sent before writes,
 * because a run whose jobs are not read would not end.
 */
export class RateLimiter {
	private readonly reads = new WaitQueue(false);
	private readonly writes = new WaitQueue(false);
	private inFlight = 0;
	/** When the responses came that still count, the oldest first. */
	private readonly responses: number[] = [];
	private pausedUntil = -Infinity;
	/** What the last refused read has left of the requests a minute, and when it was refused. */
	private afterRefusal = { perMinute: Infinity, at: 0 };
	/** Whether the last request that was sent is a read. */
	private wasRead = false;
	/** When the last request was sent, on the monotonic clock. */
	usedAt: number;
	private readonly wakeUp: WakeUp;

	constructor(
		private readonly clock: Clock,
		/** The configured limit: requests a minute, at least 1. */
		public limit: number,
		/** Until when others are taken to use the workspace; without it nobody else does. */
		private readonly others: Pick<OtherClients, 'thereUntil'> = { thereUntil: -Infinity },
	) {
		this.usedAt = clock.monotonic();
		const onFault = (fault: unknown) => {
			this.reads.rejectAll(fault);
			this.writes.rejectAll(fault);
		};
		this.wakeUp = new WakeUp(clock, () => this.serve(), onFault);
	}

	/** The limit at this moment: its part beside others, and what refused reads have left of it. */
	get requestsPerMinute(): number {
		const now = this.clock.monotonic();
		const isAlone = now >= this.others.thereUntil;
		const part = isAlone ? this.limit : this.limit * TUNING.partBesideOthers;
		const minutes = (now - this.afterRefusal.at) / MINUTE_MS;
		const regrown = this.afterRefusal.perMinute * TUNING.growthPerMinute ** minutes;
		return Math.max(1, Math.floor(Math.min(part, regrown)));
	}

	/** Whether a further request would be sent at once. */
	get hasRoom(): boolean {
		const now = this.clock.monotonic();
		return now >= this.pausedUntil && this.used(now) < this.requestsPerMinute;
	}

	private used(now: number): number {
		while ((this.responses[0] ?? Infinity) + WINDOW_MS <= now) this.responses.shift();
		return this.inFlight + this.responses.length;
	}

	/** Waits until a request may be sent. `false` if the channel was cancelled before. */
	acquire(channel: Channel, isRead = false): Promise<boolean> {
		const pending = (isRead ? this.reads : this.writes).wait(channel, this.clock.monotonic());
		this.serve();
		return pending;
	}

	/** Must be called when the response to an acquired request has come, or when it was not sent. */
	release(): void {
		this.inFlight -= 1;
		this.responses.push(this.clock.monotonic());
		this.serve();
	}

	/**
	 * The service has answered 429. If a read is refused, there were too many requests in the minute.
	 * Anything else, such as making a voice, may be refused for another reason, so it pauses all requests
	 * only if our own minute is full.
	 */
	throttled(waitMs: number, isRead = false): void {
		const now = this.clock.monotonic();
		const isFull = this.used(now) >= this.requestsPerMinute;
		if (isRead) {
			const left = this.requestsPerMinute * TUNING.partAfterRefusal;
			this.afterRefusal = { perMinute: Math.max(MIN_PER_MINUTE, left), at: now };
		}
		if (isRead || isFull) this.pausedUntil = Math.max(this.pausedUntil, now + waitMs);
	}

	/** Reads are sent first. But if the oldest write has waited for a minute, reads and writes take turns. */
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
