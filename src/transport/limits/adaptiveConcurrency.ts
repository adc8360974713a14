import type { Clock, Random } from '../base/types';

/** The time until one more place is tried, in milliseconds: doubled with each refusal in a row, halved with each success. */
const FIRST_PROBE_MS = 2_000;
const LONGEST_PROBE_MS = 60_000;

/** After so many refusals in a row the others have long jobs, so that it goes on more slowly. */
const MANY_REFUSALS = 6;
const SLOW_PROBE_MS = 120_000;

/**
 * Who has places tries for more only so often, in own jobs taken since the last refusal or in milliseconds: places that fall free
 * somewhere else are soon taken again there, and most tries would only be refused. Who has none tries every minute or so.
 */
const JOBS_A_PROBE = 4;
const CONTENT_PROBE_MS = 180_000;

/**
 * How many jobs at a time the service takes from this process. All that the plan allows, until it refuses one: then others use
 * the workspace too, and the room is what runs now. A place that falls free is used again at once; one more is tried now
 * and then, and as long as that succeeds the next follows at once.
 */
export class AdaptiveConcurrency {
	private allowed = Infinity;

	private delay = FIRST_PROBE_MS;

	private refusedAt = -Infinity;

	/** Refusals since the last job of ours was taken. */
	private inARow = 0;

	/** Jobs of ours that were taken since the last refusal. */
	private takenSince = 0;

	/** When one more place may be tried as far as the last refusal goes, on the monotonic clock. */
	private after = -Infinity;

	/** When the service last accepted a job of ours, on the monotonic clock; `-Infinity` for never. */
	lastAccepted = -Infinity;

	constructor(
		private readonly clock: Clock,
		private readonly random: Random,
	) {}

	/** When one more place may be tried, on the monotonic clock, unless something happens before. */
	get probeAt(): number {
		const isContent = this.allowed > 0 && this.delay >= LONGEST_PROBE_MS;
		if (!isContent || this.takenSince >= JOBS_A_PROBE) return this.after;
		return Math.max(this.after, this.refusedAt + CONTENT_PROBE_MS);
	}

	/** @param taken places in use, without the one that is asked for */
	admits(taken: number): boolean {
		if (taken < this.allowed) return true;
		if (this.clock.monotonic() < this.probeAt) return false;
		// One at a time: the next waits for what becomes of this one, or a while when nothing becomes of it.
		this.after = this.clock.monotonic() + LONGEST_PROBE_MS;
		return true;
	}

	/** @param taken places in use, with the one that was accepted */
	accepted(taken: number): void {
		this.lastAccepted = this.clock.monotonic();
		this.takenSince += 1;
		this.inARow = 0;
		// A place that was ours already proves nothing about one more.
		if (taken <= this.allowed) return;
		this.allowed = taken;
		this.delay = Math.max(FIRST_PROBE_MS, this.delay / 2);
		this.after = this.lastAccepted;
	}

	/**
	 * @param taken places in use, without the one that was refused
	 * @param hintMs how long the service asks to wait
	 */
	refused(taken: number, hintMs?: number): void {
		this.allowed = Math.max(0, taken);
		this.takenSince = 0;
		this.refusedAt = this.clock.monotonic();
		this.after = this.refusedAt + (hintMs ?? this.delay * (0.5 + this.random()));
		this.inARow += 1;
		const longest = this.inARow > MANY_REFUSALS ? SLOW_PROBE_MS : LONGEST_PROBE_MS;
		this.delay = Math.min(longest, this.delay * 2);
	}
}
