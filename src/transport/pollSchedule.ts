import { MINUTE_MS, TUNING } from './tuning';

/*
 * When a running job is polled next: arithmetic of times, without state of the poller. A *look* is what
 * either a list or a single read shows of a job. All times are in ms.
 */

/** The shortest time between two lists, and after a look that has failed. */
export const MIN_POLL_GAP_MS = 1_000;

/** The pause after so many looks in a row that have failed. */
export const backoffMs = (failures: number): number =>
	Math.min(MINUTE_MS, MIN_POLL_GAP_MS * 2 ** failures);

/** The part of the requests of a minute that reads of single jobs may take. */
const SHARE_OF_READS = 0.5;

/** The time between two reads of single jobs, whichever jobs they are. */
export const singleReadGapMs = (requestsPerMinute: number): number =>
	MINUTE_MS / (requestsPerMinute * SHARE_OF_READS);

/** Something happens between these two moments. */
export interface TimeSpan {
	from: number;
	to: number;
}

/**
 * How long the jobs of one kind take, learned from those that have ended. What this buys: a list goes out
 * when jobs have ended, and not before. Without it a job of two minutes takes 8.5 requests instead of 3.9,
 * and a hundred jobs of 5 s take 5 % longer (docs/performance.md).
 *
 * An age is the time since the wait for a job began.
 */
export class JobDurations {
	/** The newest ends: at which age a job was last seen running, and at which it was seen ended. */
	private ends: Array<{ lastSeenRunning: number; ended: number }> = [];
	private shortest = 0;
	/** The longest that a job probably takes; `Infinity` as long as none has ended. */
	longest = Infinity;
	/** Whether an event told of the last end. */
	private isEndedByEvent = false;

	/** A job has ended between two looks, or an event has told its end. */
	learn(lastSeenRunning: number, ended: number, byEvent: boolean): void {
		this.isEndedByEvent = byEvent;
		this.ends = [...this.ends, { lastSeenRunning, ended }].slice(-TUNING.knownEnds);
		const earliestEnd = Math.min(...this.ends.map((end) => end.ended));
		const latestRun = Math.max(...this.ends.map((end) => end.lastSeenRunning));
		if (latestRun < earliestEnd) {
			// One duration explains all ends. It lies between these two, and each look narrows the span.
			this.shortest = latestRun;
			this.longest = earliestEnd;
		} else {
			// Jobs take differently long. The shortest had ended a little before somebody looked.
			this.shortest = earliestEnd * (1 - TUNING.lookShare);
			this.longest = latestRun;
		}
	}

	/**
	 * At which ages a job will probably end that still ran at this age; `undefined` as long as nothing is
	 * known, and where an event is expected to tell it.
	 */
	span(age: number): TimeSpan | undefined {
		if (this.longest === Infinity || this.isEndedByEvent) return undefined;
		return age < this.longest
			? { from: Math.max(age, this.shortest), to: this.longest }
			: { from: age, to: age * (1 + TUNING.lookShare) };
	}

	/** The age at which a job that ran at this age is looked at again, whatever is known of its end. */
	nextPoll(age: number): number {
		const { minLookMs, maxLookMs, lookShare } = TUNING;
		const eventBy = this.longest + minLookMs;
		if (this.isEndedByEvent && age < eventBy) return eventBy;
		if (this.span(age)) return age + maxLookMs;
		return age + Math.min(maxLookMs, Math.max(minLookMs, age * lookShare));
	}
}

/** What counts of a running job for the next look at it. */
export interface PolledJob {
	/** When it is looked at again, whatever is known of its end. */
	dueAt: number;
	/** When it will probably end; `undefined` as long as nothing is known. */
	expectedEnd: TimeSpan | undefined;
	/** For how long a job of its kind probably runs at most; `Infinity` as long as nothing is known. */
	longestMs: number;
}

/** How long the slot of a job that ends within this span has probably been idle by now. */
function idleSlotMs({ from, to }: TimeSpan, now: number): number {
	if (now <= from) return 0;
	return now >= to ? now - (from + to) / 2 : (now - from) ** 2 / (2 * (to - from));
}

/**
 * Whether it is time for a request that shows these jobs:
 *
 * - One of them has waited for its look long enough.
 * - Or the slots of those that have probably ended have been idle for `TUNING.idleMs` for each running job:
 *   of five jobs for 1.5 s in all, such as one slot for a second and another for half of that.
 * - Or they have been idle for a shorter time, and no other job is about to end.
 *
 * If a minute has too few requests to create each job and to list after every second end, only the first and
 * the last of these count: the jobs are looked at once all of them have probably ended.
 */
export function isPollDue(
	jobs: readonly PolledJob[],
	now: number,
	requestsPerMinute: number,
): boolean {
	if (jobs.some(({ dueAt }) => dueAt <= now)) return true;
	const spans = jobs.map(({ expectedEnd }) => expectedEnd).filter((span) => span !== undefined);
	const idle = spans.reduce((sum, span) => sum + idleSlotMs(span, now), 0);
	if (idle === 0) return false;
	const endsPerMinute = jobs.reduce((sum, { longestMs }) => sum + MINUTE_MS / longestMs, 0);
	const isMinuteShort = 1.5 * endsPerMinute > requestsPerMinute;
	const idleMs = isMinuteShort ? Infinity : TUNING.idleMs * jobs.length;
	const isEndNear = spans.some(({ from, to }) => now < to && from < now + idleMs);
	return idle >= idleMs || !isEndNear;
}
