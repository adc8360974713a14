import { POLICIES, type Tuning } from '../limits/policies';
import { MINUTE_MS, type RateLimiter } from '../limits/rateLimiter';
import type { PollSchedule } from './pollSchedule';
import { idleUntil, type EndSpan } from './idleTime';
import { isGeneration } from './jobState';
import type { Waiter } from './waiter';

/**
 * The next poll goes out when the slots of jobs that have probably ended have stood idle for 0.9 s
 * in all (longer, the fewer requests the creations leave), or when the first job is due by its age.
 * All times are in ms on the monotonic clock.
 */
export class PollTimes {
	private lastSweepAt = -Infinity;

	/** Sweeps in a row that brought no response. */
	private unanswered = 0;

	constructor(
		private readonly rateLimiter: RateLimiter,
		private readonly schedule: PollSchedule,
		/** How many creations wait for a slot. */
		private readonly pendingCreations: () => number,
		private readonly tuning: Tuning['polling'] = POLICIES.polling,
	) {}

	/** For the first wait after a pause: old failures no longer mean anything. */
	resetBackoff(): void {
		this.unanswered = 0;
	}

	/** Schedules the next poll of those that the sweep did not reach. */
	swept(waiters: Iterable<Waiter>, now: number, isAnswered: boolean): void {
		this.unanswered = isAnswered ? 0 : this.unanswered + 1;
		this.lastSweepAt = now;
		for (const waiter of waiters) {
			if (waiter.nextPollAt > now) continue;
			const age = now - waiter.startedAt;
			waiter.nextPollAt = waiter.startedAt + this.schedule.next(waiter.kind, age);
		}
	}

	/**
	 * When the first job is due, within the bounds. Transient faults do not delay the final poll of a
	 * wait.
	 */
	next(waiters: Iterable<Waiter>): number {
		const listed: Array<[Waiter, EndSpan]> = [];
		let due = Infinity;
		let { unanswered } = this;
		for (const waiter of waiters) {
			waiter.dueAt = waiter.nextPollAt;
			due = Math.min(due, waiter.dueAt);
			if (waiter.finalPollBy !== undefined) unanswered = 0;
			const span = this.spanOf(waiter);
			if (!span) continue;
			if (isGeneration(waiter.job)) listed.push([waiter, span]);
			else due = Math.min(due, this.dueAlone(waiter, span));
		}
		const [only] = listed;
		if (only && listed.length === 1) due = Math.min(due, this.dueAlone(...only));
		due = Math.max(due, this.lastSweepAt + this.minSpacing);
		if (listed.length > 1) {
			const spans = listed.map(([, span]) => span);
			const price = this.priceOf(listed.map(([waiter]) => waiter));
			due = Math.min(due, idleUntil(spans, this.lastSweepAt, price));
		}
		const backoff = unanswered === 0 ? 0 : this.minSpacing * 2 ** unanswered;
		const spacing = Math.max(
			this.tuning.minSweepIntervalMs,
			Math.min(this.tuning.maxBackoffMs, backoff),
		);
		return Math.max(due, this.lastSweepAt + spacing);
	}

	/**
	 * How long the slots of ended jobs may stand idle in all, in slot-ms, until a list is worth its
	 * request. Where requests are plentiful that is a fixed price. Where they are scarce, creations
	 * come first: if jobs end at a rate e and p polls in the same time are left beside the creations
	 * that follow, p polls spread evenly leave slots idle for e / 2p² each. One poll for each full
	 * set of jobs is always affordable.
	 */
	private priceOf(waiters: readonly Waiter[]): number {
		let ends = 0;
		for (const { kind } of waiters) ends += 1 / (this.schedule.meanDuration(kind) ?? Infinity);
		// Until the last of the jobs that are known today has ended.
		const restMs = (this.pendingCreations() + waiters.length) / ends;
		const requests = this.rateLimiter.requestsPerMinuteFor(restMs) / MINUTE_MS;
		const polls = Math.max(requests - ends, ends / waiters.length);
		return Math.max(this.tuning.requestPriceMs, ends / (2 * polls ** 2));
	}

	private dueAlone(waiter: Waiter, span: EndSpan): number {
		const since = waiter.startedAt + waiter.runningAge;
		const due = idleUntil([span], since, this.priceOf([waiter]));
		waiter.dueAt = Math.min(waiter.nextPollAt, due);
		return waiter.dueAt;
	}

	private spanOf({ kind, startedAt, runningAge, isOld }: Waiter): EndSpan | undefined {
		const range = isOld ? undefined : this.schedule.endRange(kind, runningAge);
		return range && { from: startedAt + range.from, to: startedAt + range.to };
	}

	/** When the first wait is over, unless a poll ends it before. */
	deadline(waiters: Iterable<Waiter>): number {
		let deadline = Infinity;
		for (const waiter of waiters) {
			deadline = Math.min(deadline, waiter.finalPollBy ?? waiter.deadline);
		}
		return deadline;
	}

	/**
	 * Whether a wait has passed its deadline. If the job was not read shortly before it, for instance
	 * because the machine was asleep, a final poll decides.
	 */
	isExpired(waiter: Waiter, now: number, isSweeping: boolean): boolean {
		if (now < waiter.deadline) return false;
		waiter.finalPollBy ??= now + this.tuning.finalPollMs;
		const isUpToDate = waiter.lastReadAt > waiter.deadline - this.minSpacing && !isSweeping;
		if (isUpToDate || now >= waiter.finalPollBy) return true;
		waiter.nextPollAt = Math.min(waiter.nextPollAt, now);
		return false;
	}

	/** Shortest time between two sweeps that respects the request rate. */
	private get minSpacing(): number {
		return Math.max(
			this.tuning.minSweepIntervalMs,
			MINUTE_MS / (this.rateLimiter.limit * this.tuning.maxRateShare),
		);
	}
}
