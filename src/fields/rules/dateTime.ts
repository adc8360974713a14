import { tryToParseDateTime } from 'n8n-workflow';
import { quoted, trimmed } from '../../base/texts';
import { isRecord } from '../../base/types';
import { type Rule, whenThere } from './rule';

/** A day, with or without a time and an offset. Between day and time there may be a blank, as in SQL. */
const ISO =
	/^(\d{4}-\d\d-\d\d)(?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,]\d{1,9})?)?\s?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

const DIGITS = /^\d{12,}$/;

/**
 * A lower number is probably a number of seconds and not of milliseconds: it would be a moment before 1974.
 */
const EARLIEST = 100_000_000_000;
const LATEST = Date.parse('9999-12-31T23:59:59Z');

/** Whether the calendar has the day, unlike `2026-02-29`. */
function isDay(day: string): boolean {
	const date = new Date(`${day}T00:00:00Z`);
	return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

/**
 * The moment of a text; `undefined` if it is no date, or if the moment has another day or time than the text.
 */
function fromText(text: string, timezone: string | undefined): number | undefined {
	if (DIGITS.test(text)) return fromNumber(Number(text));
	const [, day = '', hours = '00', minutes = '00', , offset] = ISO.exec(text) ?? [];
	if (!isDay(day)) return undefined;
	const parsed = tryToParseDateTime(text.replace(' ', 'T').replace(/ /g, ''), timezone);
	// When clocks are set forward, an hour is missing in the timezone of the workflow.
	const isAsGiven = parsed.toFormat('yyyy-MM-dd HH:mm') === `${day} ${hours}:${minutes}`;
	return offset !== undefined || isAsGiven ? parsed.toMillis() : undefined;
}

const fromNumber = (ms: number): number | undefined =>
	Number.isInteger(ms) && ms >= EARLIEST && ms <= LATEST ? ms : undefined;

/** The moment of a Date or of a DateTime of any copy of luxon. */
function fromObject(value: unknown): number | undefined {
	const isTime = value instanceof Date || (isRecord(value) && typeof value.toMillis === 'function');
	return isTime ? fromNumber(Number(value.valueOf())) : undefined;
}

function timeOf(value: unknown, timezone: string | undefined): number | undefined {
	try {
		if (typeof value === 'number') return fromNumber(value);
		if (typeof value === 'string') return fromText(trimmed(value), timezone);
		return fromObject(value);
	} catch {
		// The timezone is unknown, or the object throws.
		return undefined;
	}
}

/**
 * A point in time, which is sent in UTC as in RFC 3339. It may be ISO 8601, a Date, a DateTime, or
 * milliseconds since 1970. Text without an offset, which the editor gives, is in the timezone of the
 * workflow. Specification: Operation details, GET /usage.
 */
export const dateTime = (): Rule =>
	whenThere({}, (value, { timezone }) => {
		const time = timeOf(value, timezone);
		if (time !== undefined) return { value: new Date(time).toISOString() };
		return {
			problem: `must be a date and time such as 2026-01-31T12:00:00Z, got ${quoted(value)}`,
			hint: 'Write year, month and day in this order; a number counts milliseconds since 1970',
		};
	});
