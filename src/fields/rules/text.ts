import { quoted, sendable, trimmed } from '../../base/texts';
import { isRecord } from '../../base/types';
import { httpsUrlIn } from '../../base/urls';
import { EMPTY, isEmptyText, LEFT_OUT, type Presence, type Rule, whenThere } from './rule';

/** What is allowed for a text. Without `max` it may be of any length. */
export interface TextBounds extends Presence {
	/** The most characters (code points). */
	max?: number;
	/** Whether an empty text is a value, which clears the old one. */
	clears?: boolean;
}

function lengthProblem(text: string, max: number): string | undefined {
	if (text.length <= max) return undefined;
	const length = [...text].length;
	return length > max ? `has ${length} characters; at most ${max} are allowed` : undefined;
}

/** A number as text; `undefined` if its digits are not those that were entered. */
function digitsOf(number: number): string | undefined {
	const isExact = Number.isFinite(number) && Math.abs(number) <= Number.MAX_SAFE_INTEGER;
	return isExact ? String(number) : undefined;
}

/** A moment as JSON writes it, because the next node gets it so. There are several copies of luxon. */
function writtenMoment(value: unknown): string | undefined {
	try {
		const isOfLuxon = isRecord(value) && typeof value.toMillis === 'function';
		if (!isOfLuxon && !(value instanceof Date)) return undefined;
		const written: unknown = (value as Date).toJSON();
		return typeof written === 'string' ? written : undefined;
	} catch {
		// The object throws.
		return undefined;
	}
}

/**
 * Reads a text: a text, a number with the digits that were entered, or a moment. `undefined` for everything
 * else: nobody means the word `false` or `[object Object]`.
 */
export function textIn(value: unknown): string | undefined {
	switch (typeof value) {
		case 'string':
			return value;
		case 'number':
			return digitsOf(value);
		case 'bigint':
			return String(value);
		default:
			return writtenMoment(value);
	}
}

/**
 * Text whose result people read, hear or see. It keeps every blank. Only NUL and halves of emojis are left
 * out, which no service accepts.
 */
export const prose = ({ max = Infinity, required, clears }: TextBounds = {}): Rule => {
	const filled = whenThere({ required }, (value) => {
		const words = textIn(value);
		if (words === undefined) return { problem: `must be text, got ${quoted(value)}` };
		const text = sendable(words);
		const problem = lengthProblem(text, max);
		return problem === undefined ? { value: text } : { problem };
	});
	return (value, context) =>
		clears && isEmptyText(value) ? { value: '' } : filled(value, context);
};

const LINE_BREAK_OR_CONTROL = /\p{Cc}/u;

/** The name of something: a model, a voice, a size, a label. It is trimmed and on one line. */
export const name = ({ max = Infinity, required }: TextBounds = {}): Rule =>
	whenThere({ required }, (value) => {
		const words = textIn(value);
		if (words === undefined) return { problem: `must be text, got ${quoted(value)}` };
		const text = sendable(trimmed(words));
		if (LINE_BREAK_OR_CONTROL.test(text))
			return { problem: `must be on one line, got ${quoted(text)}` };
		const problem = lengthProblem(text, max);
		return problem === undefined ? { value: text } : { problem };
	});

/** Characters that would change the path which contains the ID, or that cannot be encoded. */
const UNUSABLE = /[/\\\p{Cc}\p{Surrogate}]|^\.{1,2}$|\.\./u;

/** An ID that is part of a path. */
export const id = (): Rule =>
	whenThere({ required: true }, (value) => {
		const words = textIn(value);
		if (words === undefined) return { problem: `must be an ID, got ${quoted(value)}` };
		const text = trimmed(words);
		if (!UNUSABLE.test(text)) return { value: text };
		return {
			problem: `is not a valid ID: ${quoted(text)}`,
			hint: 'An ID contains no slash, no ".." and no control characters',
		};
	});

/** One of the values that the specification lists. */
export const choice = (values: readonly string[], presence: Presence = {}): Rule =>
	whenThere(presence, (value) => {
		const given = trimmed(textIn(value) ?? '');
		if (values.includes(given)) return { value: given };
		return { problem: `must be one of ${values.join(', ')}, got ${quoted(value)}` };
	});

/** The entries of an array, or of a text with commas or line breaks between them. */
function entriesOf(value: unknown): unknown[] {
	const entries: unknown[] = typeof value === 'string' ? value.split(/[,\n]/) : [value].flat();
	return entries.filter((entry) => entry !== null && entry !== undefined && !isEmptyText(entry));
}

/** A rule for an array or a text of several entries. Each entry must keep a rule, and counts once. */
const listOf = (presence: Presence, rule: Rule): Rule =>
	whenThere(presence, (value, context) => {
		const found = new Set<unknown>();
		for (const entry of entriesOf(value)) {
			const ruled = rule(entry, context);
			if ('problem' in ruled) return ruled;
			found.add(ruled.value);
		}
		if (found.size > 0) return { value: [...found] };
		return presence.required ? EMPTY : LEFT_OUT;
	});

/** Values that the specification lists, as an array or as a text with commas. */
export const choices = (values: readonly string[], presence: Presence = {}): Rule =>
	listOf(presence, choice(values));

/** Names of which there is no list, as an array or as a text with commas. */
export const names = (presence: Presence = {}): Rule => listOf(presence, name());

/** An https address as `new URL` writes it. Specification: CreateWebhook, `url`. */
export const httpsUrl = (presence: Presence = {}): Rule =>
	whenThere(presence, (value) => {
		const url = httpsUrlIn(textIn(value) ?? '');
		if (url !== undefined) return { value: url };
		return { problem: `must be an address that begins with https://, got ${quoted(value)}` };
	});
