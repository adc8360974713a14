import { BoundedMap } from '../base/boundedMap';
import { MINUTE_MS, TUNING } from '../limits/tuning';

/** Kinds to remember: a service that names each job's model differently must not fill the memory. */
const MAX_KINDS = 1_000;

/** A time between which and another something happens, each moment as likely as the other; in ms. */
export interface Span {
	from: number;
	to: number;
}

/** What is known of how long the jobs of one kind take. Ages are in ms since the wait began. */
export class Durations {
	/** The newest ends: the age at which each job was last seen running, and at which it was seen ended. */
	private readonly ends: Array<{ ran: number; ended: number }> = [];

	/** The lowest age at which one of them was seen ended, and the highest at which one was seen running. */
	private lowestEnd = Infinity;

	private highestRun = 0;

	/** Whether the last end was pushed by an event. */
	private isPushed = false;

	/** Learns from a job that ended at some time between two looks, or was pushed at `ended`. */
	learn(ran: number, ended: number, isPushed: boolean): void {
		this.isPushed = isPushed;
		this.ends.push({ ran, ended });
		if (this.ends.length > TUNING.knownEnds) this.ends.shift();
		this.lowestEnd = Math.min(...this.ends.map((end) => end.ended));
		this.highestRun = Math.max(...this.ends.map((end) => end.ran));
	}

	/**
	 * Between which ages a job will probably end that was still running at this one. If one duration
	 * explains all ends, it lies between the highest run and the lowest end, and each look narrows the
	 * span. Otherwise these are about the longest and the shortest duration; the shortest may be a
	 * little shorter, as that job was seen ended some time after its end.
	 * @returns `undefined` where nothing is known, and where an event is expected
	 */
	span(age: number): Span | undefined {
		const { lowestEnd, highestRun } = this;
		if (this.ends.length === 0 || this.isPushed) return undefined;
		const longest = Math.max(lowestEnd, highestRun);
		if (age >= longest) return { from: age, to: age * (1 + TUNING.lookShare) };
		const shortest = highestRun < lowestEnd ? highestRun : lowestEnd * (1 - TUNING.lookShare);
		return { from: Math.max(age, shortest), to: longest };
	}

	/** Age at which a job is looked at again at the latest that was still running at this one. */
	nextLook(age: number): number {
		const { minLookMs, maxLookMs, lookShare } = TUNING;
		const eventBy = Math.max(this.lowestEnd, this.highestRun) + minLookMs;
		if (this.isPushed && age < eventBy) return eventBy;
		if (this.span(age)) return age + maxLookMs;
		return age + Math.min(maxLookMs, Math.max(minLookMs, age * lookShare));
	}

	/** About how long a job takes, in ms; `Infinity` where that is not known. */
	get usual(): number {
		return this.ends.length === 0
			? Infinity
			: (this.lowestEnd + Math.max(this.lowestEnd, this.highestRun)) / 2;
	}
}

/** What is known of each kind of job. */
export class KnownDurations {
	private readonly kinds = new BoundedMap<string, Durations>(MAX_KINDS);

	of(kind: string): Durations {
		const durations = this.kinds.get(kind) ?? new Durations();
		this.kinds.set(kind, durations);
		return durations;
	}
}

/** How long the slot of a job that ends in this span has probably stood idle by then. */
function idleBy({ from, to }: Span, time: number): number {
	if (time <= from) return 0;
	return time >= to ? time - (from + to) / 2 : (time - from) ** 2 / (2 * (to - from));
}

/** Accurate to this, in ms: far below a round trip. */
const PRECISION_MS = 10;

/**
 * When the slots of jobs that end in these spans will probably have stood idle for so long in all
 * since a moment; `Infinity` without jobs.
 */
export function idleUntil(spans: readonly Span[], since: number, idleMs: number): number {
	if (spans.length === 0) return Infinity;
	const idleSince = (time: number) =>
		spans.reduce((sum, span) => sum + idleBy(span, time) - idleBy(span, since), 0);
	let low = Math.max(since, Math.min(...spans.map(({ from }) => from)));
	let high = Math.max(low, ...spans.map(({ to }) => to));
	while (high - low > PRECISION_MS) {
		const middle = (low + high) / 2;
		if (idleSince(middle) < idleMs) low = middle;
		else high = middle;
	}
	// No later than the last moment at which one of those that may have ended by then has.
	return Math.max(
		since,
		...spans.map(({ from, to }) => (from < high ? Math.min(to, high) : since)),
	);
}

/**
 * How long slots may stand idle until a list is worth its request. Where the requests of a minute
 * are scarce, creations come first: if jobs end at a rate of e and p polls are left in the same time
 * beside the creations that follow, p polls spread evenly leave slots idle for e / 2p² each. One poll
 * for each full set of jobs is always affordable.
 * @param usual how long each of the jobs usually takes, in ms
 */
export function idleWorthAList(usual: readonly number[], requestsPerMinute: number): number {
	const ends = usual.reduce((sum, ms) => sum + 1 / ms, 0);
	const polls = Math.max(requestsPerMinute / MINUTE_MS - ends, ends / usual.length);
	const plentiful = TUNING.idleMs * usual.length;
	return ends === 0 ? plentiful : Math.max(plentiful, ends / (2 * polls ** 2));
}
