import { isRecord } from '../../transport/base/types';

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
export const LEFT_OUT: Ruled = { value: undefined };

/** Whether nothing was entered. Blanks are something, and so are 0 and false. */
export const isEmpty = (value: unknown): boolean =>
	value === undefined || value === null || value === '';

/** A rule for what is not empty: an empty value is left out, or a problem where it is required. */
export const unlessEmpty =
	({ required }: Presence, rule: Rule): Rule =>
	(value, context) => {
		if (!isEmpty(value)) return rule(value, context);
		return required ? { problem: 'is empty' } : LEFT_OUT;
	};

/** Whether n8n stored the value with the way in which it was entered. */
export const isLocator = (value: unknown): value is { mode?: unknown; value?: unknown } =>
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
export function preview(value: unknown): string {
	const text = toText(value).replace(/[\s\p{Cc}]+/gu, ' ');
	return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
