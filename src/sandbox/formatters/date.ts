/** Microseconds since 1970 as a date-time of that precision, so that it can be a cursor. */
export function formatMicroseconds(microseconds: number): string {
	const milliseconds = Math.floor(microseconds / 1000);
	const rest = String(microseconds % 1000).padStart(3, '0');
	return new Date(milliseconds).toISOString().replace('Z', `${rest}Z`);
}

const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/** A date-time (RFC 3339) in microseconds since 1970; undefined when it is none. */
export function readDateTime(text: string): number | undefined {
	const match = DATE_TIME.exec(text);
	if (!match) return undefined;
	const [, date, time, fraction = '', zone = ''] = match;
	const seconds = Date.parse(`${date}T${time}${zone.toUpperCase()}`);
	if (Number.isNaN(seconds)) return undefined;
	return seconds * 1000 + Number(`${fraction.slice(1)}000000`.slice(0, 6));
}

/** Milliseconds since 1970 as a date-time. */
export function formatMilliseconds(milliseconds: number): string {
	return new Date(milliseconds).toISOString();
}
