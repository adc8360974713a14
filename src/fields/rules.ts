import { tryToParseDateTime } from 'n8n-workflow';
import { fieldName } from '../run/nodeInput';
import { asText, isRecord } from '../base/types';
import { listOf } from '../base/values';
import { mediaUrlProblem } from '../service/urls';
import { BinaryReference } from '../run/uploads';

/** What a rule may use besides the value. */
export interface RuleContext {
	/** Base URL of the credential: media on this machine are for a service on this machine only. */
	baseUrl: string;
	binaryFields: string[];
	/** IANA name of the workflow's timezone, for times that name none. */
	timezone?: string;
	/** One of the node's *Options*, evaluated; `undefined` if it was not added. */
	option?: (name: string) => unknown;
}

/** The value to send, `undefined` for none; or what is wrong, to follow the field's label. */
export type Ruled = { value: unknown } | { problem: string; hint?: string };

/** Takes whatever an expression may give, and never throws. */
export type Rule = (value: unknown, context: RuleContext) => Ruled;

export interface Presence {
	/** Whether an empty value is an error instead of leaving the field out. */
	required?: boolean;
}

/** For a field of an update: left out if it was not added, used if it was, even if it is empty. */
export const whenSet =
	(rule: Rule): Rule =>
	(value, context) =>
		value === undefined ? LEFT_OUT : rule(value, context);

/** The field is not sent. */
const LEFT_OUT: Ruled = { value: undefined };

/** Whether nothing was entered. Blanks are something, and so are 0 and false. */
const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';

/** A rule for what is not empty: an empty value is left out, or a problem where it is required. */
const unlessEmpty =
	({ required }: Presence, rule: Rule): Rule =>
	(value, context) => {
		if (!isEmpty(value)) return rule(value, context);
		return required ? { problem: 'is empty' } : LEFT_OUT;
	};

/** Whether n8n stored the value with the way in which it was entered. */
const isLocator = (value: unknown): value is { mode?: unknown; value?: unknown } =>
	isRecord(value) && '__rl' in value;

/** The value of a resource locator, which an expression may have put into another one. */
export const located =
	(rule: Rule): Rule =>
	(value, context) =>
		isLocator(value) ? located(rule)(value.value, context) : rule(value, context);

function toText(value: unknown): string {
	try {
		return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
	} catch {
		// A BigInt, a circular object, or one with a throwing toJSON.
		return typeof value === 'bigint' ? String(value) : `a value of the type ${typeof value}`;
	}
}

/** A value as it can be shown in an error: short, on one line. */
function preview(value: unknown): string {
	const text = toText(value).replace(/[\s\p{Cc}]+/gu, ' ');
	return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

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

/** The range of a number; both ends belong to it. */
export interface NumberBounds extends Presence {
	min?: number;
	max?: number;
	integer?: boolean;
}

/** NaN for what is no finite number. */
function asNumber(value: unknown): number {
	const isText = typeof value === 'string' && value.trim() !== '';
	const number = isText || typeof value === 'number' ? Number(value) : NaN;
	return Number.isFinite(number) ? number : NaN;
}

function wanted({ min, max, integer }: NumberBounds): string {
	const kind = integer ? 'a whole number' : 'a number';
	if (min !== undefined && max !== undefined) return `${kind} from ${min} to ${max}`;
	if (max !== undefined) return `${kind} of at most ${max}`;
	return min === undefined ? kind : `${kind} of at least ${min}`;
}

/** A number within bounds; text that is a number is taken as one. */
export const number = (bounds: NumberBounds = {}): Rule =>
	unlessEmpty(bounds, (value) => {
		const given = asNumber(value);
		const isWithin = given >= (bounds.min ?? -Infinity) && given <= (bounds.max ?? Infinity);
		return isWithin && (!bounds.integer || Number.isSafeInteger(given))
			? { value: given }
			: { problem: `must be ${wanted(bounds)}, got ${preview(value)}` };
	});

/** True or false, also as text, which is what an expression or an AI agent may give. */
export const flag = (): Rule =>
	unlessEmpty({}, (value) => {
		if (value === true || value === 'true') return { value: true };
		if (value === false || value === 'false') return { value: false };
		return { problem: `must be true or false, got ${preview(value)}` };
	});

/** The value itself, or what JSON text says; `undefined` for text that is not JSON. */
export function parsedJson(value: unknown): unknown {
	if (typeof value !== 'string') return value;
	try {
		return JSON.parse(value) as unknown;
	} catch {
		return undefined;
	}
}

/** The value as JSON carries it; `undefined` for what JSON cannot carry. */
function asJson(value: unknown): unknown {
	try {
		return parsedJson(typeof value === 'string' ? value : JSON.stringify(value));
	} catch {
		return undefined;
	}
}

/** Any JSON object, also as text: dates are texts, functions are nothing. Empty: left out. */
export const jsonObject = (): Rule =>
	unlessEmpty({}, (value) => {
		if (typeof value === 'string' && value.trim() === '') return LEFT_OUT;
		const json = asJson(value);
		if (!isRecord(json)) return { problem: `must be a JSON object, got ${preview(value)}` };
		return Object.keys(json).length === 0 ? LEFT_OUT : { value: json };
	});

const BINARY = 'binary:';

/** What a media field takes: no `max`, no limit of our own. */
export interface MediaBounds extends Presence {
	/** Most items. */
	max?: number;
}

/** Between the URLs on the one line of a locator, where the editor has joined lines too. */
const BETWEEN_URLS = /\n|[\s,]+(?=https?:\/\/|binary:)|(?<=[^\s,/=?&#:])(?=https?:\/\/)/;

/** The entries of an array, of one as JSON text (as an AI agent may write it), or of a text. */
function entriesOf(value: unknown, separator: RegExp | string): unknown[] | undefined {
	if (isEmpty(value)) return [];
	if (typeof value !== 'string') return Array.isArray(value) ? value : undefined;
	const parsed = value.trim().startsWith('[') ? parsedJson(value) : undefined;
	return Array.isArray(parsed) ? parsed : value.split(separator);
}

/** Names by the mode *Binary*. Nothing entered is a mistake: a file was meant to be sent. */
function namesIn(value: unknown): unknown[] | undefined {
	const names = entriesOf(value, /[\n,]/)?.filter((name) => name !== '');
	if (names?.length === 0) return [BINARY];
	// Somebody may have left the mode as it was and entered a URL, as an AI agent does.
	return names?.map((name) =>
		typeof name === 'string' && !/^\s*https?:/.test(name)
			? `${BINARY}${name.replace(BINARY, '')}`
			: name,
	);
}

/** What a field holds: a locator, or text or an array, as an expression or an agent gives them. */
function entriesIn(value: unknown): unknown[] | undefined {
	if (!isLocator(value)) return entriesOf(value, '\n');
	return value.mode === 'binary' ? namesIn(value.value) : entriesOf(value.value, BETWEEN_URLS);
}

/** The name of a binary field of the item, which is sent as a file. */
export const binaryField = (): Rule => (value, context) => {
	const name = typeof value === 'string' ? value.trim() : '';
	if (name !== '') return binaryReference(name.replace(BINARY, '').trim(), context);
	return {
		problem: isEmpty(value) || value === name ? 'is empty' : `must be text, got ${preview(value)}`,
	};
};

function binaryReference(given: string, { binaryFields }: RuleContext): Ruled {
	const name = binaryFields.includes(given) ? given : fieldName(given);
	if (binaryFields.includes(name)) return { value: new BinaryReference(name) };
	const there = binaryFields.length > 0 ? binaryFields.join(', ') : 'none';
	return {
		problem: `names the binary field "${preview(name)}", which the item does not have`,
		hint: `Binary fields of this item: ${there}`,
	};
}

function entry(value: unknown, context: RuleContext): Ruled {
	if (typeof value !== 'string')
		return { problem: `must be a URL or binary:<field>, got ${preview(value)}` };
	const text = value.trim();
	if (text === '') return LEFT_OUT;
	if (text.startsWith(BINARY)) return binaryReference(text.slice(BINARY.length).trim(), context);
	const problem = mediaUrlProblem(text, context.baseUrl);
	if (problem === undefined) return { value: text };
	return {
		problem: `${problem}: ${preview(text)}`,
		hint: 'Enter an https URL, or choose Binary and enter the name of a binary field of the item, which is then uploaded',
	};
}

/**
 * Media inputs, sent as an array: each a URL or `binary:<field>`.
 * Specification: Conventions, "media input URLs are HTTPS"; CreateGeneration, `input`.
 */
export const media =
	({ max, required }: MediaBounds = {}): Rule =>
	(value, context) => {
		const entries = entriesIn(value);
		if (!entries) return { problem: `must be URLs or binary:<field>, got ${preview(value)}` };
		const items: unknown[] = [];
		for (const raw of entries) {
			const ruled = entry(raw, context);
			if ('problem' in ruled) return ruled;
			if (ruled.value !== undefined) items.push(ruled.value);
		}
		if (max !== undefined && items.length > max) {
			return { problem: `takes at most ${max} item${max === 1 ? '' : 's'}, got ${items.length}` };
		}
		if (items.length > 0) return { value: items };
		return required ? { problem: 'is empty' } : LEFT_OUT;
	};

/** A single media input, sent by itself instead of in an array. */
export const oneMedia =
	(presence: Presence = {}): Rule =>
	(value, context) => {
		const ruled = media({ ...presence, max: 1 })(value, context);
		return 'value' in ruled && Array.isArray(ruled.value)
			? { value: ruled.value[0] as unknown }
			: ruled;
	};
