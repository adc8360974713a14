import { isBlank } from '../../base/texts';
import { unboxed } from '../../base/values';
import { isRecord, type Json } from '../../base/types';
import type { StoredFile } from '../../transport/host';

/** What a rule may use besides the value. */
export interface RuleContext {
	/** Base URL of the credential: media on this machine are for a service on this machine only. */
	baseUrl: string;
	/** The files of the item by the name of their field. */
	files: Record<string, StoredFile>;
	/** The file of another node that an expression has given, under a name that says where it stands. */
	findFile?: (given: Json) => { name: string; file: StoredFile } | undefined;
	/** IANA name of the workflow's timezone, for times that name none. */
	timezone?: string;
	/** What the rule of another field says, by the name of its parameter. */
	other?: (parameter: string) => unknown;
}

/** The value to use, `undefined` for none; or what is wrong, to follow the field's label. */
export type Ruled = { value: unknown } | { problem: string; hint?: string };

/** Takes whatever an expression may give, and never throws. */
export type Rule = (value: unknown, context: RuleContext) => Ruled;

/** Stands for the value of a field that was not added, or that the editor hides. */
export const ABSENT = Symbol('not added');

export interface Presence {
	/** Whether the field must have a value. */
	required?: boolean;
}

export const LEFT_OUT: Ruled = { value: undefined };

export const EMPTY: Ruled = { problem: 'is empty' };

/** Whether a text was entered in which there is nothing to see: the field is left out. */
export function isEmptyText(value: unknown): boolean {
	const inner = unboxed(value);
	return typeof inner === 'string' && isBlank(inner);
}

/** Whether an expression has given nothing, which nobody enters on purpose. */
const isNothing = (value: unknown): boolean =>
	value === undefined || value === null || (Array.isArray(value) && value.every(isNothing));

/** Somebody has added the field and wants a value in it. */
const GIVES_NOTHING: Ruled = {
	problem: 'was added, but its expression gives nothing',
	hint: 'Correct the expression, or remove the field; an empty text leaves it out',
};

/**
 * A rule for a value that is there. What was not added or is an empty text is left out, or a problem
 * where the field is required. What was added and gives nothing is a problem.
 */
export const whenThere =
	({ required }: Presence, rule: Rule): Rule =>
	(value, context) => {
		const isLeftOut = value === ABSENT || isEmptyText(value);
		if (isLeftOut) return required ? EMPTY : LEFT_OUT;
		if (isNothing(value)) return required ? EMPTY : GIVES_NOTHING;
		return rule(unboxed(value), context);
	};

/** For a field of an update: what was not added or is left empty stays as it is. */
export const optional =
	(rule: Rule): Rule =>
	(value, context) => {
		const ruled = rule(value, context);
		const isLeftOut = value === ABSENT || isEmptyText(value);
		return isLeftOut && 'problem' in ruled ? LEFT_OUT : ruled;
	};

/** What n8n stores for a resource locator. Within a collection it leaves the mark `__rl` out. */
const isLocator = (value: unknown): value is { mode?: unknown; value?: unknown } =>
	isRecord(value) && ('__rl' in value || ('mode' in value && 'value' in value));

/** How deep an expression may put one locator into another. */
const MOST_LOCATORS = 8;

/** The value of a resource locator, which an expression may have put into another one, and its mode. */
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
