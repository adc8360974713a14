import { POLICIES, type Tuning } from '../limits/policies';

/**
 * Upper bound of remembered kinds: a service that names each job's model differently must not fill
 * the memory.
 */
const MAX_KINDS = 1_000;

/**
 * What is known of the durations of one kind of job. Ages are in ms since the start of the wait.
 */
interface DurationStats {
	/** The newest jobs: their age when last seen running, 0 if never, and when seen ended. */
	seen: Array<{ runningAge: number; endedAge: number }>;
	/** The mean age at which they were seen ended. */
	meanEnd: number;
	/** The lowest age at which one of them was seen ended. */
	earliestEnd: number;
	/** The highest age at which one of them was seen running. */
	latestRunning: number;
	/** Whether the last end was pushed by an event, so that polling only has to catch lost events. */
	pushed: boolean;
}

/** The age by which the jobs of a kind have usually ended; one that has not is overdue. */
const latestEnd = ({ earliestEnd, latestRunning }: DurationStats): number =>
	Math.max(earliestEnd, latestRunning);

/** Ages in ms between which a job usually ends. */
export interface AgeRange {
	from: number;
	to: number;
}

/**
 * When the jobs of a kind end. Learns from the polls how long they take: if all take the same time,
 * it closes in on it; if they differ, it follows the shortest and the longest of the newest. A job
 * of unknown kind is polled in steps of a tenth of its age.
 */
export class PollSchedule {
	private readonly stats = new Map<string, DurationStats>();

	constructor(private readonly tuning: Tuning['polling'] = POLICIES.polling) {}

	/**
	 * Between which ages a job usually ends that was still running at the given age; soon, if it is
	 * overdue. `undefined` if that is not known, and where ends are pushed.
	 */
	endRange(kind: string, age: number): AgeRange | undefined {
		const known = this.stats.get(kind);
		if (!known || known.pushed) return undefined;
		const from = Math.max(age, Math.min(known.earliestEnd, known.latestRunning));
		const to = latestEnd(known);
		return age < to ? { from, to } : { from: age, to: age * (1 + this.tuning.overdueShare) };
	}

	/** About how long a job of this kind takes until its end is seen, in ms. */
	meanDuration(kind: string): number | undefined {
		return this.stats.get(kind)?.meanEnd;
	}

	/**
	 * Age at which to poll next, in ms, whatever the end range suggests.
	 * @param age at the last poll, 0 before the first
	 */
	next(kind: string, age: number): number {
		const { maxIntervalMs, eventGraceMs, unknownShare, earlyShare, overdueShare } = this.tuning;
		const known = this.stats.get(kind);
		if (!known) return age + this.step(age * unknownShare);
		const late = latestEnd(known);
		if (known.pushed && age < late + eventGraceMs) return late + eventGraceMs;
		const range = this.endRange(kind, age);
		if (!range) return age + this.step(age * overdueShare);
		return age + Math.max(maxIntervalMs, range.from * earlyShare);
	}

	/** The same for a job that no list shows, so that nothing but its age brings it up: sooner once it is overdue. */
	nextAlone(kind: string, age: number): number {
		const known = this.stats.get(kind);
		const next = this.next(kind, age);
		if (!known || age < latestEnd(known)) return next;
		return Math.min(next, age + this.step(age * this.tuning.overdueShare));
	}

	/** A pause within the bounds for two polls of a job. */
	private step(ms: number): number {
		const { minIntervalMs, maxIntervalMs } = this.tuning;
		return Math.min(maxIntervalMs, Math.max(minIntervalMs, ms));
	}

	/**
	 * Learns from a job that ended at some time between two polls.
	 * @param runningAge its age at the last poll that saw it running, 0 if none did
	 * @param endedAge its age at the poll that saw it ended, or at the event
	 */
	learn(kind: string, runningAge: number, endedAge: number, pushed = false): void {
		const known = this.stats.get(kind) ?? this.begin(kind);
		known.pushed = pushed;
		known.seen.push({ runningAge, endedAge });
		if (known.seen.length > this.tuning.memoryJobs) known.seen.shift();
		const sum = known.seen.reduce((all, each) => all + each.endedAge, 0);
		known.meanEnd = Math.max(1, sum / known.seen.length);
		known.earliestEnd = Math.min(known.earliestEnd, endedAge);
		known.latestRunning = Math.max(known.latestRunning, runningAge);
		// As long as one duration explains all observations, none is forgotten.
		if (known.latestRunning >= known.earliestEnd) this.recount(known);
	}

	private begin(kind: string): DurationStats {
		const [oldest] = this.stats.keys();
		if (this.stats.size >= MAX_KINDS && oldest !== undefined) this.stats.delete(oldest);
		const known = { seen: [], meanEnd: 0, earliestEnd: Infinity, latestRunning: 0, pushed: false };
		this.stats.set(kind, known);
		return known;
	}

	/**
	 * The bounds of the newest jobs alone. The longest of them ended some time after it was last seen
	 * running.
	 */
	private recount(known: DurationStats): void {
		known.earliestEnd = Infinity;
		known.latestRunning = 0;
		let longest = 0;
		for (const { runningAge, endedAge } of known.seen) {
			const later = Math.min(endedAge - runningAge, runningAge * this.tuning.overdueShare);
			known.earliestEnd = Math.min(known.earliestEnd, endedAge);
			known.latestRunning = Math.max(known.latestRunning, runningAge);
			longest = Math.max(longest, runningAge + later / 2);
		}
		if (known.latestRunning >= known.earliestEnd) known.latestRunning = longest;
	}
}
