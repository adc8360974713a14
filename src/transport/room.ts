import type { Clock, Random } from './types';

/** The time until one more place is tried, in milliseconds: doubled with each refusal in a row. */
const FIRST_PROBE_MS = 2_000;
const LONGEST_PROBE_MS = 60_000;

/**
 * How many jobs at a time the service takes from this process. All that the plan allows, until it refuses one: then others use
 * the workspace too, and the room is what runs now. A place that falls free is used again at once; one more is tried now
 * and then, and as long as that succeeds the next follows at once.
 */
export class Room {
	private room = Infinity;

	private delay = FIRST_PROBE_MS;

	/** When one more place may be tried, in milliseconds since the epoch. */
	probeAt = 0;

	lastAccepted = 0;

	constructor(
		private readonly clock: Clock,
		private readonly random: Random,
	) {}

	/** @param taken places in use, without the one that is asked for */
	admits(taken: number): boolean {
		if (taken < this.room) return true;
		if (this.clock.now() < this.probeAt) return false;
		// One at a time: the next waits for what becomes of this one.
		this.probeAt = this.clock.now() + LONGEST_PROBE_MS;
		return true;
	}

	/** @param taken places in use, with the one that was accepted */
	accepted(taken: number): void {
		this.lastAccepted = this.clock.now();
		if (taken < this.room) return;
		this.room = Math.max(this.room, taken);
		this.delay = FIRST_PROBE_MS;
		this.probeAt = this.lastAccepted;
	}

	/**
	 * @param taken places in use, without the one that was refused
	 * @param hintMs how long the service asks to wait
	 */
	refused(taken: number, hintMs?: number): void {
		this.room = Math.max(0, taken);
		const wait = hintMs ?? this.delay * (0.5 + this.random());
		this.probeAt = this.clock.now() + wait;
		this.delay = Math.min(LONGEST_PROBE_MS, this.delay * 2);
	}
}
