import { isBlank } from '../../base/texts';
import { unboxed } from '../../base/values';
import { isRecord, type Json } from '../../base/types';
import type { StoredFile } from '../../transport/host';

/** What a rule may use, besides the value. */
export interface RuleContext {
	/** The base URL of the credential: only a service on this machine may be given media on this machine. */
	baseUrl: string;
	/** The files of the item, by the name of their field. */
	files: Record<string, StoredFile>;
	/** Finds the file of another node that an expression has given. Its name says where the file is. */
	findFile?: (given: Json) => { name: string; file: StoredFile } | undefined;
	/** The IANA name of the timezone of the workflow. It counts for times without a timezone. */
	timezone?: string;
	/** The value that the rule of another field gives, by the name of its parameter. */
	other?: (parameter: string) => unknown;
}

/** The value to use, `undefined` for none, or a problem, which is worded to follow the label of the field. */
export type Ruled = { value: unknown } | { problem: string; hint?: string };

/** A rule. It accepts any value that an expression may give, and never throws. */
export type Rule = (value: unknown, context: RuleContext) => Ruled;

/** Stands for the value of a field that was not added or that the editor hides. */
export const ABSENT = Symbol('not added');

export interface Presence {
	/** Whether the field must have a value. */
	required?: boolean;
}

export const LEFT_OUT: Ruled = { value: undefined };

export const EMPTY: Ruled = {
	problem: 'is empty',
	hint: 'Fill it in, or correct its expression',
};

/** Whether a text was entered that has no visible character. Then the field is left out. */
export function isEmptyText(value: unknown): boolean {
	const inner = unboxed(value);
	return typeof inner === 'string' && isBlank(inner);
}

/** Whether an expression has given nothing, which nobody enters on purpose. */
const isNothing = (value: unknown): boolean =>
	value === undefined || value === null || (Array.isArray(value) && value.every(isNothing));

/** The problem of a field that was added and has no value. */
const GIVES_NOTHING: Ruled = {
	problem: 'was added, but its expression gives nothing',
	hint: 'Correct the expression, or remove the field; an empty text leaves it out',
};

/**
 * Applies a rule to a value, if there is one. A field that was not added, and an empty text, are left out, or
 * are a problem if the field is required. A field that was added and whose expression gives nothing is a
 * problem.
 */
export const whenThere =
	({ required }: Presence, rule: Rule): Rule =>
	(value, context) => {
		const isLeftOut = value === ABSENT || isEmptyText(value);
		if (isLeftOut) return required ? EMPTY : LEFT_OUT;
		if (isNothing(value)) return required ? EMPTY : GIVES_NOTHING;
		return rule(unboxed(value), context);
	};

/** The rule for a field of an update. If it was not added or is empty, the old value stays. */
export const optional =
	(rule: Rule): Rule =>
	(value, context) => {
		const ruled = rule(value, context);
		const isLeftOut = value === ABSENT || isEmptyText(value);
		return isLeftOut && 'problem' in ruled ? LEFT_OUT : ruled;
	};

/** A resource locator as n8n stores it. In a collection n8n leaves the mark `__rl` out. */
const isLocator = (value: unknown): value is { mode?: unknown; value?: unknown } =>
	isRecord(value) && ('__rl' in value || ('mode' in value && 'value' in value));

/** The deepest nesting of locators that is read: an expression may put one into another. */
const MOST_LOCATORS = 8;

/** The value and mode of a resource locator. An expression may have put it into another one. */
export function unlocated(value: unknown): { inner: unknown; mode?: unknown } {
	let inner = value;
	let mode: unknown;
	for (let depth = 0; depth < MOST_LOCATORS && isLocator(inner); depth += 1) {
		mode ??= inner.mode;
		inner = inner.value;
	}
	return { inner: unboxed(inner), mode };
}

/** A rule for the value of a resource locator. */
export const located =
	(rule: Rule): Rule =>
	(value, context) =>
		rule(unlocated(value).inner, context);
