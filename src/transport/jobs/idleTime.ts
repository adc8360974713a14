/**
 * A job that ends at some time of this span, each moment as likely as the other. On the monotonic
 * clock, in ms.
 */
export interface EndSpan {
	from: number;
	to: number;
}

/** How long the slots of ended jobs have probably been idle by then, in slot-ms. */
function idleBy(spans: readonly EndSpan[], since: number, time: number): number {
	let sum = 0;
	for (const { from, to } of spans) {
		sum += idleOf(from, to, time) - idleOf(from, to, since);
	}
	return sum;
}

function idleOf(from: number, to: number, time: number): number {
	if (time <= from) return 0;
	if (time >= to) return time - (from + to) / 2;
	return (time - from) ** 2 / (2 * (to - from));
}

/** Accurate to this, in ms: far below a round trip, and reached in a dozen halvings. */
const PRECISION_MS = 10;

/**
 * When the slots of jobs that nobody has seen end will probably have been idle for `budget` slot-ms
 * in all, or earlier when no further end is expected until then: waiting longer would only cost
 * time. `Infinity` without jobs.
 * @param since when the last poll was sent
 */
export function idleUntil(spans: readonly EndSpan[], since: number, budget: number): number {
	let earliest = Infinity;
	let latest = -Infinity;
	for (const { from, to } of spans) {
		earliest = Math.min(earliest, from);
		latest = Math.max(latest, to);
	}
	if (spans.length === 0) return Infinity;
	let low = Math.max(since, earliest);
	let high = Math.max(low, latest);
	if (idleBy(spans, since, high) < budget) return high;
	while (high - low > PRECISION_MS) {
		const middle = (low + high) / 2;
		if (idleBy(spans, since, middle) < budget) low = middle;
		else high = middle;
	}
	// The last moment at which one more job may have ended.
	let settled = -Infinity;
	for (const { from, to } of spans) {
		if (from < high) settled = Math.max(settled, Math.min(to, high));
	}
	return Math.max(since, settled);
}
