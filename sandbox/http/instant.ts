const DATE_TIME =
	/^(?<date>\d{4}-\d\d-\d\d)T(?<minute>([01]\d|2[0-3]):[0-5]\d):(?<second>[0-5]\d|60)(?<rest>(\.\d+)?(Z|[+-]\d\d:\d\d))$/i;

const DAY = 86_400_000;

/**
 * Wall-clock milliseconds of a date-time as in RFC 3339, section 5.6; NaN for any other text. `Date.parse`
 * alone takes days that a month does not have, 24:00 and times without seconds, and no leap seconds.
 */
export function readInstant(text: string): number {
	const { date = '', minute = '', second = '', rest = '' } = DATE_TIME.exec(text)?.groups ?? {};
	const day = Date.parse(date);
	if (Number.isNaN(day) || !new Date(day).toISOString().startsWith(date)) return NaN;
	const at = (seconds: string) => Date.parse(`${date}T${minute}:${seconds}${rest}`.toUpperCase());
	if (second !== '60') return at(second);
	// A leap second is the last one of a day.
	const next = at('59') + 1000;
	return next % DAY < 1000 ? next : NaN;
}
