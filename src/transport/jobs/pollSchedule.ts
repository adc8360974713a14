/** Bounds of the time between two looks at a job of a kind not yet known, in milliseconds. */
const SHORTEST_MS = 2_000;
const LONGEST_MS = 15_000;

/** Between two looks while jobs of a known kind use to end, in milliseconds: a look answers for all, and each one costs. */
const MOST_STEP_MS = 5_000;

/** In so many steps the time is gone through in which jobs of a kind use to end, unless that makes them too long or short. */
const STEPS = 1.6;

/** Narrower than this, in milliseconds, a duration counts as known to the point. */
const NARROW_MS = 500;

/** A job of known kind is looked at before it can be expected to end, lest a service that got faster goes unnoticed. */
const EARLY_PART = 0.25;
const LAST_EARLY_PART = 0.85;

/** How fast the bounds of what is usual follow what is seen, once observations contradict each other. */
const WEIGHT = 0.05;

/** How late the news of an end may be before somebody looks, in milliseconds. */
const GRACE_MS = 5_000;

/** Kinds remembered at most: a service that names each job's model differently must not fill the memory. */
const MOST_KINDS = 1_000;

interface DurationStats {
	/** Ages in milliseconds: about the earliest at which jobs were seen ended, and the latest at which one was seen running. */
	ended: number;
	running: number;
	/** Whether the last one's end was told, so that looking is only for news that get lost. */
	pushed: boolean;
}

const clamp = (ms: number, most = LONGEST_MS) => Math.min(most, Math.max(SHORTEST_MS, ms));

/**
 * When to look at a job. Learns from the looks when the jobs of a model end: where all take the same time, it closes in on it,
 * and one look comes just after; where they differ, it looks in steps while they use to end. A model not yet known is looked at in
 * steps of a tenth of the job's age.
 */
export class PollSchedule {
	private readonly stats = new Map<string, DurationStats>();

	/**
	 * Age at which to look next, in milliseconds.
	 * @param age at the last look, 0 before the first
	 */
	next(model: string, age: number): number {
		const known = this.stats.get(model);
		if (!known) return age + clamp(age / 10);
		const late = Math.max(known.ended, known.running);
		const start = Math.max(SHORTEST_MS, known.pushed ? late + GRACE_MS : firstLook(known));
		if (age >= start) return age + Math.max(this.minInterval(model), clamp((age - late) / 10));
		return known.pushed ? start : Math.min(start, early(age, start, isScattered(known)));
	}

	/** The least time between two looks for jobs of this model, in milliseconds. */
	minInterval(model: string): number {
		const known = this.stats.get(model);
		return known ? clamp((known.running - known.ended) / STEPS, MOST_STEP_MS) : SHORTEST_MS;
	}

	/**
	 * A job has ended at some time between two looks.
	 * @param running its age at the last look that saw it running, 0 if none did
	 * @param ended its age at the look that saw it ended, or when that was told
	 */
	learn(model: string, running: number, ended: number, told = false): void {
		const known = this.stats.get(model);
		if (!known) {
			const [oldest] = this.stats.keys();
			if (this.stats.size >= MOST_KINDS && oldest !== undefined) this.stats.delete(oldest);
			this.stats.set(model, { running, ended, pushed: told });
			return;
		}
		known.pushed = told;
		known.ended = Math.min(ended, known.ended + weightOf(known) * (ended - known.ended));
		known.running = Math.max(running, known.running - weightOf(known) * (known.running - running));
	}
}

const isScattered = ({ running, ended }: DurationStats) => running >= ended;

/** As long as one duration explains all that was seen, nothing of it is forgotten. */
const weightOf = (known: DurationStats) => (isScattered(known) ? WEIGHT : 0);

/** Halves what is not known of the duration, until a look at its upper end is hardly late. */
function firstLook(known: DurationStats): number {
	const { running, ended } = known;
	return isScattered(known) || ended - running <= NARROW_MS ? ended : (running + ended) / 2;
}

function early(age: number, start: number, scattered: boolean): number {
	const last = start * LAST_EARLY_PART;
	const next = age + Math.max(LONGEST_MS, start * EARLY_PART);
	if (scattered || age >= last || next <= last || start - last < SHORTEST_MS) return next;
	return last;
}
