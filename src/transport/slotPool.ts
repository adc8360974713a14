import { fail, ok, type Result } from '../base/result';
import type { Random } from '../base/types';
import { WaitQueue } from '../base/waitQueue';
import type { Slot } from './jobSlots';
import { MINUTE_MS, scattered } from './tuning';

/** For so long a creation that has no answer yet holds up the next one. */
const PATIENCE_MS = 1_000;

/** The longest time between two probes. */
const MAX_PROBE_GAP_MS = 16 * MINUTE_MS;

/**
 * The slots of one kind, and who waits for one. How many there are is not known for certain: others may use
 * some, and only a refusal shows where they end. Times are in ms on the monotonic clock.
 */
export class SlotPool {
	readonly queue = new WaitQueue<Result<Slot>>(fail({ kind: 'cancelled' }));
	/** Creations that have leave to be sent and are not accepted or refused yet, and since when. */
	private readonly underWay = new Map<Slot, number>();
	/** The ids of our jobs that hold a slot while somebody waits for them. */
	private readonly awaited = new Set<string>();
	/** The ids of those that nobody waits for any more, and since when. */
	private readonly left = new Map<string, number>();
	/** No more are used than ran when a creation was refused; `Infinity` where nothing is known of that. */
	private ceiling = Infinity;
	private pausedUntil = -Infinity;
	/** From when on one creation may be sent although no slot seems to be free. */
	private probeAt = -Infinity;
	private probeGapMs = MINUTE_MS;
	private acceptedAt = -Infinity;
	private size = 1;

	/** @param countsJobs whether jobs hold its slots; otherwise only requests do, until they are answered */
	constructor(
		limit: number,
		private readonly random: Random,
		private readonly countsJobs = true,
	) {
		this.limit = limit;
	}

	get limit(): number {
		return this.size;
	}

	/** A fraction is rounded down. */
	set limit(limit: number) {
		this.size = Math.max(1, Math.floor(limit));
	}

	/** Slots of jobs that run, whoever waits for them. */
	get running(): number {
		return this.awaited.size + this.left.size;
	}

	get inUse(): number {
		return this.underWay.size + this.running;
	}

	/** Whether we shall notice the end of all that our slots are used for. */
	get isFullInSight(): boolean {
		return this.underWay.size + this.awaited.size >= this.limit;
	}

	/** How many more may be used, as far as refusals show. */
	get free(): number {
		return Math.min(this.limit, this.ceiling) - this.inUse;
	}

	/** Whether the next creation waits for the answers to those under way. */
	awaitsAnswer(now: number): boolean {
		if (!this.countsJobs) return false;
		const recent = [...this.underWay.values()].filter((since) => now - since < PATIENCE_MS);
		return recent.length >= Math.max(1, this.running);
	}

	/** Whether somebody waits whose creation could be sent now if there is a slot. */
	isReady(now: number): boolean {
		if (this.queue.size === 0 || this.isFullInSight) return false;
		return now >= this.pausedUntil && !this.awaitsAnswer(now);
	}

	mayProbe(now: number): boolean {
		return now >= this.probeAt;
	}

	planProbe(now: number): void {
		this.probeAt = now + scattered(this.probeGapMs, this.random);
	}

	probeMoreRarely(): void {
		this.probeGapMs = Math.min(2 * this.probeGapMs, MAX_PROBE_GAP_MS);
	}

	/** An accepted job has shown a slot of which nobody knew: there may be more. */
	probeAtOnce(): void {
		this.probeAt = -Infinity;
	}

	/** What was refused is explained by what others use. */
	forgetCeiling(): void {
		this.ceiling = Infinity;
	}

	grant(slot: Slot, now: number): void {
		this.underWay.set(slot, now);
		this.queue.grant(ok(slot));
	}

	answered(slot: Slot): void {
		this.underWay.delete(slot);
	}

	has(id: string): boolean {
		return this.awaited.has(id);
	}

	accepted(id: string, now: number): void {
		this.acceptedAt = now;
		if (!this.countsJobs) return;
		// A repeated key may give a job that nobody waited for any more.
		this.left.delete(id);
		this.awaited.add(id);
		this.probeGapMs = MINUTE_MS;
		if (this.running > this.ceiling) this.probeAtOnce();
		this.ceiling = Math.max(this.ceiling, this.running);
	}

	refused(retryAfterMs: number, now: number): void {
		if (!this.countsJobs) return;
		this.ceiling = this.inUse;
		this.planProbe(now);
		this.pausedUntil = Math.max(this.pausedUntil, now + retryAfterMs);
	}

	ended(id: string): void {
		this.awaited.delete(id);
		this.left.delete(id);
	}

	/** Nobody waits for the job any more. It still runs, and the next creation would be refused. */
	leave(id: string, now: number): void {
		if (!this.awaited.delete(id)) return;
		this.left.set(id, now);
		this.planProbe(now);
	}

	/** @param hasEnded whether a job has ended that nobody has waited for since then */
	endLeft(hasEnded: (id: string, since: number) => boolean): void {
		for (const [id, since] of this.left) if (hasEnded(id, since)) this.left.delete(id);
	}

	/** Ends the waits that have lasted too long. @param others how many jobs of others run */
	expire(now: number, others: number): void {
		this.queue.expire(
			({ since, timeoutMs }) => now >= Math.max(since, this.acceptedAt) + timeoutMs,
			({ since }) => fail({ kind: 'noSlot', waitedMs: now - since, others }),
		);
	}
}
