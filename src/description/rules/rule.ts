/** What a rule may look at besides the value. */
export interface RuleContext {
	/** Base URL of the credential: media on this machine are for a service on this machine only. */
	baseUrl: string;
	/** Names of the binary fields of the item. */
	binaryFields: string[];
	/** IANA name of the workflow's timezone, for times that name none. */
	timezone?: string;
}

/** The value as it is sent; `undefined` leaves the field out. Or what is wrong with it, to follow the field's label. */
export type Ruled = { value: unknown } | { problem: string; hint?: string };

/** Takes whatever an expression may give, and never throws. */
export type Rule = (value: unknown, context: RuleContext) => Ruled;

export interface Presence {
	/** Whether an empty value is an error instead of leaving the field out. */
	required?: boolean;
}

/** For a field of an update: one that was not added is left out, one that was added is looked at even when it is empty. */
export const whenSet =
	(rule: Rule): Rule =>
	(value, context) =>
		value === undefined ? LEFT_OUT : rule(value, context);

export const LEFT_OUT: Ruled = { value: undefined };

export const isEmpty = (value: unknown): boolean =>
	value === undefined || value === null || value === '';

/** The answer for an empty value; `undefined` when the value is not empty and so must be looked at. */
export function ruleEmpty(value: unknown, { required }: Presence): Ruled | undefined {
	if (!isEmpty(value)) return undefined;
	return required ? { problem: 'is empty' } : LEFT_OUT;
}

/** What a resource locator holds: n8n gives the locator itself, not its value, where nothing was chosen. */
export function fromLocator(rule: Rule): Rule {
	return (value, context) => {
		const isLocator = typeof value === 'object' && value !== null && '__rl' in value;
		return rule(isLocator ? (value as { value?: unknown }).value : value, context);
	};
}

function written(value: unknown): string {
	try {
		return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
	} catch {
		// A big integer, a circle, or an object that fights back.
		return typeof value === 'bigint' ? String(value) : `a value of the type ${typeof value}`;
	}
}

/** A value as it can be shown in an error: short, on one line. */
export function shown(value: unknown): string {
	const text = written(value).replace(/[\s\p{Cc}]+/gu, ' ');
	return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
