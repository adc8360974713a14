import { tryToParseDateTime } from 'n8n-workflow';
import { asText } from '../../transport/base/types';
import { listOf } from '../../transport/base/values';
import { LEFT_OUT, preview, unlessEmpty, type Presence, type Rule } from './rule';

/** What a text may be: of any length unless `max` is given. */
export interface TextBounds extends Presence {
	/** Characters (code points). */
	max?: number;
	/** Whether empty text is a value, which clears the old one. */
	clears?: boolean;
}

/** Text; numbers and booleans are taken as text. Blank counts as empty when required. */
export const text = ({ max = Infinity, required, clears }: TextBounds = {}): Rule => {
	const filled = unlessEmpty({ required }, (value) => {
		const given = asText(value);
		if (given === '') return { problem: `must be text, got ${preview(value)}` };
		if (required && given.trim() === '') return { problem: 'is empty' };
		const length = given.length > max ? [...given].length : 0;
		if (length <= max) return { value: given };
		return { problem: `has ${length} characters; at most ${max} are allowed` };
	});
	return (value, context) => (clears && value === '' ? { value } : filled(value, context));
};

export const choice = (values: readonly string[], presence: Presence = {}): Rule =>
	unlessEmpty(presence, (value) =>
		values.includes(value as string)
			? { value }
			: { problem: `must be one of ${values.join(', ')}, got ${preview(value)}` },
	);

/** Characters that would change the path that contains the id, or cannot be encoded. */
const UNUSABLE = /[/\\\p{Cc}\p{Surrogate}]|^\.{1,2}$|\.\./u;

/** An id that is part of a path. */
export const id = (): Rule => (value) => {
	const given = asText(value).trim();
	if (given === '') return { problem: 'is empty' };
	if (!UNUSABLE.test(given)) return { value: given };
	return {
		problem: `is not a valid ID: ${preview(given)}`,
		hint: 'An ID contains no slash, no ".." and no control characters',
	};
};

/** Values that the specification lists, each once: an array, or text separated by commas. */
export const choices = (values: readonly string[], presence: Presence = {}): Rule =>
	unlessEmpty(presence, (value) => {
		const listed = typeof value === 'string' ? listOf(value) : value;
		if (!Array.isArray(listed))
			return { problem: `must be a list of values, got ${preview(value)}` };
		const entries = listed.filter((entry) => entry !== '');
		const unknown = entries.find((entry) => !values.includes(entry as string));
		if (unknown !== undefined) {
			return { problem: `must be of ${values.join(', ')}, got ${preview(unknown)}` };
		}
		if (entries.length > 0) return { value: [...new Set(entries)] };
		return presence.required ? { problem: 'is empty' } : LEFT_OUT;
	});

/** An https address. Specification: CreateWebhook, `url`. */
export const httpsUrl = (presence: Presence = {}): Rule =>
	unlessEmpty(presence, (value) => {
		const given = asText(value).trim();
		return given.startsWith('https://') && URL.canParse(given)
			? { value: given }
			: { problem: `must be an address that begins with https://, got ${preview(value)}` };
	});

/**
 * A point in time, sent in UTC as in RFC 3339. Text without an offset, which is what the editor
 * gives, is taken in the timezone of the workflow. Specification: Operation details, GET /usage.
 */
export const dateTime = (): Rule =>
	unlessEmpty({}, (value, { timezone }) => {
		try {
			const iso = tryToParseDateTime(value, timezone).toUTC().toISO();
			if (iso && /^\d{4}-/.test(iso)) return { value: iso };
		} catch {
			// What cannot be parsed as a time is reported below, whatever the reason.
		}
		return {
			problem: `must be a date and time such as 2026-01-31T12:00:00Z, got ${preview(value)}`,
		};
	});
