import { WaitQueue, WakeUp } from '../base/waiting';
import type { Clock, Channel } from '../base/types';
import { OtherClients } from './otherClients';
import { MINUTE_MS, scattered } from './tuning';

/** A little more than the service's minute, because its clock and ours do not run in step. */
const WINDOW_MS = MINUTE_MS + 250;

/** Our part of the requests while others use the workspace: there is at least one of them. */
const OUR_SHARE = 0.5;

/**
 * Keeps all items, nodes and executions of a process that use one workspace within its requests per
 * minute (specification: Limits, Request rate). What reads goes before what creates: a run whose
 * jobs are not looked at would not end, while one that creates later only takes a little longer.
 *
 * A request counts from its admission until a full window after its response, because nobody knows
 * when in between the server counted it: so no window of the server holds more than our limit.
 */
export class RateLimiter {
	private readonly reads = new WaitQueue(false);
	private readonly writes = new WaitQueue(false);
	private inFlight = 0;
	/** When the responses came that still count. */
	private readonly responses: number[] = [];
	private pausedUntil = -Infinity;
	private cutTo = Infinity; private cutAt = 0;
	private cutUntil = -Infinity;
	/** Whether the last request that was admitted reads. */
	private wasRead = false;
	/** When the last request was admitted, on the monotonic clock. */
	usedAt: number;
	private readonly wakeUp: WakeUp;

	constructor(
		private readonly clock: Clock,
		/** The configured limit: requests a minute, at least 1. */
		public limit: number,
		private readonly others = new OtherClients(),
	) {
		this.usedAt = clock.monotonic();
		this.wakeUp = new WakeUp(clock, () => this.serve());
	}

	/** The limit at the moment: a part of the configured one while a list of the last minute shows others. */
	get requestsPerMinute(): number {
		const { count, listedAt } = this.others;
		const isShared = process.env.HALF && count > 0 && this.clock.monotonic() - listedAt < MINUTE_MS;
		const grow = Number(process.env.GROW ?? 0);
		const cut = grow ? this.cutTo + grow * ((this.clock.monotonic() - this.cutAt) / MINUTE_MS) ** Number(process.env.POW ?? 1) : this.clock.monotonic() < this.cutUntil ? this.cutTo : Infinity;
		if (process.env.SHARE && this.others.isSeen(this.clock.monotonic())) return Math.max(Number(process.env.MINCUT ?? 3), Math.min(Math.floor(cut), Math.floor(this.limit * this.others.share * Number(process.env.SHARE))));
		return Math.max(1, Math.min(Math.floor(cut), Math.floor(this.limit * (isShared ? OUR_SHARE : 1))));
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
	 * The service answered 429. If our own minute is full, it has counted more than we have, and all
	 * requests pause; otherwise the refusal concerns only its own request, such as a second agent run.
	 */
	throttled(waitMs: number, isRead = false): void {
		const now = this.clock.monotonic();
		if (isRead && process.env.CUT) {
			this.cutTo = Math.max(Number(process.env.MINCUT ?? 3), Math.floor(this.used(now) * Number(process.env.CUT)));
			this.cutAt = now;
			this.cutUntil = now + scattered(Number(process.env.CUTMIN ?? 3) * MINUTE_MS, Math.random);
		}
		if (this.used(now) < this.requestsPerMinute) return;
		this.pausedUntil = Math.max(this.pausedUntil, now + waitMs);
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
