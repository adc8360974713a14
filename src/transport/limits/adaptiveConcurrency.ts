import type { Clock, Random } from '../base/types';
import { POLICIES, type Tuning } from './policies';
import type { SharedUse } from './sharedUse';
import { SlotLimit } from './slotLimit';

/** What decides about one more job. */
export interface Demand {
	/** Slots of the workspace. */
	limit: number;
	/** Slots in use by this process, not counting the one requested. */
	inUse: number;
}

/**
 * How many concurrent jobs the service accepts from this process: all slots of the workspace less
 * those that the last list shows other clients to use. A refusal is newer than the last list, so
 * until the next one the limit is what runs now. Where lists cannot be had, one more job is probed
 * now and then.
 */
export class AdaptiveConcurrency {
	/** Jobs of ours that ran at the last refusal, and when that was, on the monotonic clock. */
	private atRefusal = Infinity;

	private refusedAt = -Infinity;

	/** Whether the last refusal came when the requests before it made one about the rate likely. */
	private isRateLikely = false;

	private readonly slotLimit: SlotLimit;

	/** Whether a list newer than the refusal shows that slots were free. */
	private wasRate = false;

	/** Whether such a list has come. */
	private isJudged = true;

	private probeDelay: number;

	private probeAt = -Infinity;

	/** Whether the last list that was asked for did not come. */
	private isBlind = false;

	/**
	 * Since when jobs are wanted without a list that says whether other clients are there;
	 * `undefined` once one has arrived.
	 */
	private unknownSince: number | undefined;

	/**
	 * When the service last accepted a job of ours, on the monotonic clock; `-Infinity` for never.
	 */
	lastAccepted = -Infinity;

	constructor(
		private readonly clock: Clock,
		private readonly random: Random,
		private readonly sharedUse: SharedUse,
		private readonly tuning: Tuning = POLICIES,
	) {
		this.probeDelay = tuning.concurrency.initialProbeMs;
		this.slotLimit = new SlotLimit(clock, tuning);
	}

	/** Slots of the workspace, as far as the service has shown. */
	slotsOf(configured: number): number {
		return this.slotLimit.of(configured);
	}

	admits({ limit: configured, inUse }: Demand): boolean {
		if (inUse >= configured) return false;
		const limit = this.slotsOf(configured);
		if (inUse === 0) this.begin();
		const ourPart = limit * this.tuning.rate.ourShare;
		const isHeldBack = this.clock.monotonic() < this.heldUntil;
		if (isHeldBack && inUse >= Math.max(1, Math.floor(ourPart))) return false;
		if (this.isRefused) return inUse < this.atRefusal || this.mayProbe();
		// Others may not know for seconds that a job of theirs has ended. Whoever has less than its part
		// takes the slot at once; more than that it leaves to them for another list, so that not all take
		// all that is free and are refused together.
		const { others, othersLately } = this.sharedUse;
		return inUse + (inUse < ourPart ? others : othersLately) < limit || this.mayProbe();
	}

	/**
	 * After a time without jobs it is unknown which other clients are there. Half of the slots are
	 * used until a list has shown it, so that two processes that start together are not refused.
	 */
	private begin(): void {
		const now = this.clock.monotonic();
		if (now - this.sharedUse.listedAt < this.tuning.rate.windowMs) return;
		this.unknownSince ??= now;
	}

	/**
	 * Until when half of the slots are held back at most, however long the list takes, on the
	 * monotonic clock.
	 */
	get heldUntil(): number {
		return (this.unknownSince ?? -Infinity) + this.tuning.polling.maxIntervalMs;
	}

	/**
	 * When to request the list again while creations wait for slots that others may use, on the
	 * monotonic clock.
	 */
	nextListAt(lastListAt: number, inUse = 1): number {
		const { sharedUse, refusedAt, unknownSince, tuning } = this;
		if (unknownSince !== undefined && inUse > 0) {
			// The jobs of others that start now show once ours are accepted. A list that could not be
			// requested, because the poller is just at it, is requested again a little later.
			const again = lastListAt + tuning.polling.minSweepIntervalMs;
			if (this.lastAccepted >= unknownSince) return Math.max(this.lastAccepted, again);
			return Math.max(unknownSince + tuning.concurrency.initialProbeMs, again);
		}
		const since = Math.max(lastListAt, sharedUse.listedAt);
		if (this.isBlind) return since + this.tuning.rate.windowMs;
		// Several processes that were refused at the same moment must not request it at the same
		// moment.
		const scatter = this.scatter();
		if (this.isRefused)
			return Math.max(since, refusedAt) + this.tuning.concurrency.initialProbeMs * scatter;
		return since + this.tuning.concurrency.listIntervalMs * scatter;
	}

	/** A requested list did or did not arrive. */
	listRequested(isAnswered: boolean): void {
		this.isBlind = !isAnswered;
		this.unknownSince = undefined;
	}

	/** A list may have come. `true` if it shows that the last refusal was about the request rate. */
	listed({ limit, inUse }: Demand): boolean {
		const { sharedUse, refusedAt, slotLimit, isRateLikely } = this;
		slotLimit.seen(inUse + sharedUse.others, limit);
		if (sharedUse.listedAt >= (this.unknownSince ?? Infinity)) this.unknownSince = undefined;
		if (this.isJudged || sharedUse.listedAt <= refusedAt) return false;
		this.isBlind = false;
		const running = this.atRefusal + sharedUse.othersSince;
		this.wasRate = running < limit && !slotLimit.explains(running, isRateLikely);
		this.isJudged = true;
		return this.wasRate;
	}

	accepted(id: string, { limit, inUse }: Demand): void {
		this.lastAccepted = this.clock.monotonic();
		this.probeDelay = this.tuning.concurrency.initialProbeMs;
		this.slotLimit.seen(inUse, limit);
		this.sharedUse.created(id, limit - inUse);
		if (inUse <= this.atRefusal) return;
		// A probe that succeeded: the next one follows at once.
		this.atRefusal = inUse;
		this.probeAt = this.lastAccepted;
	}

	/**
	 * @param isRateLikely whether the requests before it make a refusal about the rate likely
	 * @param hintMs how long the service asks to wait
	 */
	refused({ inUse }: Demand, isRateLikely: boolean, hintMs?: number): void {
		this.atRefusal = inUse;
		this.isRateLikely = isRateLikely;
		this.slotLimit.refused();
		this.isJudged = false;
		this.sharedUse.refused();
		this.wasRate = false;
		this.refusedAt = this.clock.monotonic();
		this.probeAt = this.refusedAt + (hintMs ?? this.probeDelay * this.scatter());
		this.probeDelay = Math.min(this.tuning.concurrency.maxProbeMs, this.probeDelay * 2);
	}

	private scatter(): number {
		return 1 + this.tuning.concurrency.jitter * (2 * this.random() - 1);
	}

	private get isRefused(): boolean {
		if (this.refusedAt >= this.sharedUse.listedAt) return this.refusedAt > -Infinity;
		return this.wasRate && this.clock.monotonic() < this.probeAt;
	}

	/**
	 * One probe at a time: the next waits for the outcome of this one, or for a while if it has none.
	 */
	private mayProbe(): boolean {
		const now = this.clock.monotonic();
		if (now < this.nextProbeAt) return false;
		this.probeAt = now + this.tuning.concurrency.maxProbeMs;
		return true;
	}

	/** When a creation may try without any slot known to be free, on the monotonic clock. */
	get nextProbeAt(): number {
		if (this.isBlind || (this.isRefused && this.wasRate)) return this.probeAt;
		const quietSince = Math.max(this.sharedUse.changedAt, this.refusedAt);
		const doubtAt = quietSince + this.tuning.concurrency.doubtMs;
		return Math.max(this.probeAt, Math.min(doubtAt, this.slotLimit.probeAt));
	}
}
