/** Bounds of the time between two looks at a job, in milliseconds. */
const SHORTEST_MS = 2_000;
const LONGEST_MS = 15_000;

/** How much the newest observation counts. */
const WEIGHT = 0.3;

/** A job of known kind is looked at this often before it is expected to end, as a part of its usual duration. */
const EARLY_PART = 0.25;

interface Usual {
	/** Smoothed duration, in milliseconds. */
	duration: number;
	/** Smoothed distance of the observations from it. */
	spread: number;
}

const clamp = (ms: number) => Math.min(LONGEST_MS, Math.max(SHORTEST_MS, ms));

/**
 * When to look at a job. Learns how long the jobs of a model usually take, so that the first look comes about when the job
 * ends and few are wasted before; a model not yet known is looked at in steps of a tenth of the job's age.
 */
export class Pace {
	private readonly usual = new Map<string, Usual>();

	/**
	 * Age at which to look next, in milliseconds.
	 * @param age at the last look, 0 before the first
	 */
	next(model: string, age: number): number {
		const known = this.usual.get(model);
		if (!known) return age + clamp(age / 10);
		const expected = Math.max(SHORTEST_MS, known.duration - known.spread);
		if (age >= expected) return age + clamp((age - expected) / 10);
		return Math.min(expected, age + Math.max(LONGEST_MS, known.duration * EARLY_PART));
	}

	/**
	 * A job has ended at some time between two looks.
	 * @param running its age when it was last seen running, 0 if never
	 * @param ended its age when it was seen ended
	 */
	learn(model: string, running: number, ended: number): void {
		// Seen only once, it had ended before: without a step down here an estimate too long would never be noticed.
		const from = running > 0 ? running : Math.max(0, ended - SHORTEST_MS);
		const duration = (from + ended) / 2;
		const known = this.usual.get(model);
		if (!known) {
			this.usual.set(model, { duration, spread: (ended - from) / 2 });
			return;
		}
		const distance = Math.abs(duration - known.duration);
		known.spread += WEIGHT * (distance - known.spread);
		known.duration += WEIGHT * (duration - known.duration);
	}
}
