import { startOfDay } from '../../../src/creation/credits/shownToday';

/*
 * The start of a day, in all time zones. In some, midnight comes twice (America/Havana, Atlantic/Azores) or
 * not at all (Asia/Beirut, America/Santiago) when clocks are changed.
 */

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;
/** Clocks are not changed twice within it. */
const FORTNIGHT = 14 * DAY;
const FIRST = Date.UTC(2015, 0, 1);
const LAST = Date.UTC(2028, 0, 1);

/** Clocks differ from UTC by this from one moment until the next change. */
interface Span {
	from: number;
	offset: number;
}

/** How much the clocks of a zone differ from UTC. */
function offsetIn(timeZone: string): (time: number) => number {
	const numeric = 'numeric';
	const date = { year: numeric, month: numeric, day: numeric } as const;
	const time = { hour: numeric, minute: numeric, second: numeric, hourCycle: 'h23' } as const;
	const format = new Intl.DateTimeFormat('en-US', { timeZone, ...date, ...time });
	return (at) => {
		const numbers = format.format(at).match(/\d+/g) ?? [];
		const [month = 0, day, year = 0, hour, minute, second] = numbers.map(Number);
		return Date.UTC(year, month - 1, day, hour, minute, second) - at;
	};
}

function spansOf(timeZone: string): Span[] {
	const offsetAt = offsetIn(timeZone);
	let { from, offset } = { from: -Infinity, offset: offsetAt(FIRST) };
	const spans: Span[] = [{ from, offset }];
	for (let time = FIRST; time < LAST; time += FORTNIGHT) {
		if (offsetAt(time + FORTNIGHT) === offset) continue;
		let before = time;
		from = time + FORTNIGHT;
		while (from - before > SECOND) {
			const middle = before + Math.floor((from - before) / SECOND / 2) * SECOND;
			if (offsetAt(middle) === offset) before = middle;
			else from = middle;
		}
		offset = offsetAt(from);
		spans.push({ from, offset });
	}
	return spans;
}

/** The earliest moment that has the date of another one. */
function earliestOfDate(spans: Span[], now: number): number {
	const offset = spans.findLast(({ from }) => from <= now)?.offset ?? NaN;
	const midnight = Math.floor((now + offset) / DAY) * DAY;
	const starts = spans.flatMap((span, index) => {
		const { from: until = Infinity } = spans[index + 1] ?? {};
		const start = Math.max(span.from, midnight - span.offset);
		return start < Math.min(until, midnight + DAY - span.offset) ? [start] : [];
	});
	return Math.min(...starts);
}

/** Zones whose clocks are changed alike are looked at once. */
const ZONES = new Map(
	Intl.supportedValuesOf('timeZone').map((zone) => {
		const spans = spansOf(zone);
		return [JSON.stringify(spans), { zone, spans }] as const;
	}),
);

/** The moments around a change of clocks, in the day before it, in its own and in the next. */
const AROUND = [-30 * HOUR, -12 * HOUR, -1, 0, HOUR, 12 * HOUR, 30 * HOUR];

test('it is the earliest moment with its date, in every zone and around every change of clocks', () => {
	const wrong: string[] = [];
	const found = { twice: 0, never: 0 };
	for (const { zone, spans } of ZONES.values()) {
		for (const [index, { from, offset }] of spans.entries()) {
			const changed = index > 0 ? from : LAST;
			const before = spans[index - 1]?.offset ?? offset;
			const midnight = Math.floor((changed + Math.max(before, offset)) / DAY) * DAY;
			const hasMidnight = midnight - before < changed;
			const hasItAgain = midnight - offset >= changed;
			if (before !== offset && hasMidnight && hasItAgain) found.twice += 1;
			if (before !== offset && !hasMidnight && !hasItAgain) found.never += 1;
			for (const now of AROUND.map((distance) => changed + distance)) {
				const start = startOfDay(now, zone);
				const earliest = earliestOfDate(spans, now);
				if (start === earliest) continue;
				const [is, at, should] = [start, now, earliest].map((time) => new Date(time).toISOString());
				wrong.push(`${zone} at ${at}: ${is} instead of ${should}`);
			}
		}
	}
	expect(wrong).toEqual([]);
	expect(found.twice).toBeGreaterThan(40);
	expect(found.never).toBeGreaterThan(40);
});
