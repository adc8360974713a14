import type { RateLimiter } from '../limits/rateLimiter';
import type { PollSchedule } from './pollSchedule';
import type { Waiter } from './waiter';

/** Two looks are never closer than this, in milliseconds; nor do they use up more than this part of the requests a minute. */
const SHORTEST_MS = 2_000;
const BUDGET_PART = 0.5;

/** Longest time between two looks when they bring no answer, in milliseconds. */
const LONGEST_BACKOFF_MS = 60_000;

/** How long the last look may take that a deadline calls for, in milliseconds. */
const LAST_LOOK_MS = 60_000;

/** When to look for all who wait. All moments are on the monotonic clock, in milliseconds. */
export class PollTimes {
	private lastSweepAt = -Infinity;

	/** Looks in a row that brought no answer. */
	private misses = 0;

	constructor(
		private readonly gate: RateLimiter,
		private readonly pace: PollSchedule,
	) {}

	/** Somebody begins to wait after a time in which nobody did: faults of long ago say nothing. */
	forgetFaults(): void {
		this.misses = 0;
	}

	/** Whom the look did not reach is looked at again. */
	swept(waiters: Iterable<Waiter>, now: number, isAnswered: boolean): void {
		this.misses = isAnswered ? 0 : this.misses + 1;
		this.lastSweepAt = now;
		for (const waiter of waiters) {
			if (waiter.nextPollAt > now) continue;
			waiter.nextPollAt = waiter.since + this.pace.next(waiter.kind, now - waiter.since);
		}
	}

	/** The job that is due first sets the time, within the bounds. Passing faults do not delay the last look of a wait. */
	next(waiters: Iterable<Waiter>): number {
		let due = Infinity;
		let step = Infinity;
		let { misses } = this;
		for (const waiter of waiters) {
			due = Math.min(due, waiter.nextPollAt);
			step = Math.min(step, this.pace.minInterval(waiter.kind));
			if (waiter.lastLookBy !== undefined) misses = 0;
		}
		const spacing = Math.min(LONGEST_BACKOFF_MS, this.spacing * 2 ** misses);
		return Math.max(due, this.lastSweepAt + Math.max(step, spacing));
	}

	/** When the first wait is over, unless a look ends it before. */
	deadline(waiters: Iterable<Waiter>): number {
		let deadline = Infinity;
		for (const waiter of waiters) {
			deadline = Math.min(deadline, waiter.lastLookBy ?? waiter.deadline);
		}
		return deadline;
	}

	/**
	 * Whether a wait is over. Not on old news, though: when nobody has asked for the job of late, for instance because the machine
	 * slept past the deadline, one more look decides.
	 */
	isOver(waiter: Waiter, now: number, isLooking: boolean): boolean {
		if (now < waiter.deadline) return false;
		waiter.lastLookBy ??= now + LAST_LOOK_MS;
		const isAsked = waiter.askedAt > waiter.deadline - this.spacing && !isLooking;
		if (isAsked || now >= waiter.lastLookBy) return true;
		waiter.nextPollAt = Math.min(waiter.nextPollAt, now);
		return false;
	}

	/** The least time between two looks that respects the request budget. */
	private get spacing(): number {
		return Math.max(SHORTEST_MS, 60_000 / (this.gate.requestsPerMinute * BUDGET_PART));
	}
}
