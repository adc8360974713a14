import { MINUTE_MS, TUNING } from './tuning';

/** The shortest time between two lists, or two looks that failed. */
export const MIN_GAP_MS = 1_000;

/** After so many looks in a row that failed, until the next. */
export const pauseAfter = (failures: number): number =>
	Math.min(MINUTE_MS, MIN_GAP_MS * 2 ** failures);

/** When something happens, each moment as likely as the other; in ms. */
export interface Span {
	from: number;
	to: number;
}

/** What is known of how long the jobs of one kind take. Ages are in ms since the wait began. */
export class Durations {
	/** The newest ends: the ages at which a job was last seen running, and seen ended. */
	private ends: Array<{ lastSeenRunning: number; ended: number }> = [];
	private shortest = 0;
	/** The longest that one probably takes; `Infinity` where that is not known. */
	longest = Infinity;
	/** Whether the last end came by an event. */
	private isEndedByEvent = false;

	/** A job ended between two looks, or an event told at `ended`. */
	learn(lastSeenRunning: number, ended: number, byEvent: boolean): void {
		this.isEndedByEvent = byEvent;
		this.ends = [...this.ends, { lastSeenRunning, ended }].slice(-TUNING.knownEnds);
		const lowestEnd = Math.min(...this.ends.map((end) => end.ended));
		const highestRun = Math.max(...this.ends.map((end) => end.lastSeenRunning));
		this.longest = Math.max(lowestEnd, highestRun);
		// If one duration explains all ends, it lies between these two, and each look narrows the span.
		// Otherwise the shortest was a little shorter than it was seen to be.
		this.shortest = highestRun < lowestEnd ? highestRun : lowestEnd * (1 - TUNING.lookShare);
	}

	/**
	 * At which ages a job will probably end that was still running at this one; `undefined` where
	 * nothing is known, and where an event is expected.
	 */
	span(age: number): Span | undefined {
		if (this.longest === Infinity || this.isEndedByEvent) return undefined;
		return age < this.longest
			? { from: Math.max(age, this.shortest), to: this.longest }
			: { from: age, to: age * (1 + TUNING.lookShare) };
	}

	/** At which age it is looked at again at the latest. */
	nextLook(age: number): number {
		const { minLookMs, maxLookMs, lookShare } = TUNING;
		const eventBy = this.longest + minLookMs;
		if (this.isEndedByEvent && age < eventBy) return eventBy;
		if (this.span(age)) return age + maxLookMs;
		return age + Math.min(maxLookMs, Math.max(minLookMs, age * lookShare));
	}
}

/** What matters of a job for the next look at it. Times are in ms on the monotonic clock. */
export interface Watched {
	/** When it is looked at again at the latest. */
	dueAt: number;
	/** When it will probably end; `undefined` where nothing is known. */
	expectedEnd: Span | undefined;
	/** For how long one of its kind probably runs at most; `Infinity` where nothing is known. */
	longestMs: number;
}

/** How long the slot of a job that ends in this span has probably stood idle by a time. */
function idleBy({ from, to }: Span, time: number): number {
	if (time <= from) return 0;
	return time >= to ? time - (from + to) / 2 : (time - from) ** 2 / (2 * (to - from));
}

/**
 * Whether jobs that end in these spans are worth a look: their slots have probably stood idle for so
 * long in all since the last one, or a shorter time and no further end is near.
 */
export function isWorthALook(
	spans: readonly Span[],
	lastLook: number,
	now: number,
	idleMs: number,
): boolean {
	const idleOf = (span: Span) => idleBy(span, now) - idleBy(span, lastLook);
	const idle = spans.reduce((sum, span) => sum + idleOf(span), 0);
	const isEndNear = spans.some(({ from, to }) => now < to && from < now + idleMs);
	return idle >= idleMs || (idle > 0 && !isEndNear);
}

/**
 * How long slots may stand idle until a list is worth its request. Where the requests of a minute do
 * not suffice for a creation of each job and a list for every other one, a list waits until no further
 * end is near.
 * @param takes how long each of the jobs takes, in ms
 */
function idleWorthALook(takes: readonly number[], requestsPerMinute: number): number {
	const ends = takes.reduce((sum, ms) => sum + MINUTE_MS / ms, 0);
	return 1.5 * ends > requestsPerMinute ? Infinity : TUNING.idleMs * takes.length;
}

/** Whether a request is due that shows these jobs, which were last looked at then. */
export function isLookDue(
	jobs: readonly Watched[],
	lookedAt: number,
	now: number,
	requestsPerMinute: number,
): boolean {
	if (jobs.some(({ dueAt }) => dueAt <= now)) return true;
	const spans = jobs.map(({ expectedEnd }) => expectedEnd).filter((span) => span !== undefined);
	const idleMs = idleWorthALook(
		jobs.map(({ longestMs }) => longestMs),
		requestsPerMinute,
	);
	return isWorthALook(spans, lookedAt, now, idleMs);
}
