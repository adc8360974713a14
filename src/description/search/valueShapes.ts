import { isRecord } from '../../transport/base/types';

/** A value that a model accepts for a parameter, and its name in the catalogue if that differs. */
export interface ModelValue {
	value: string;
	label?: string;
}

type Entry = Record<string, unknown>;

/** A longer list helps nobody, and is probably not a list of values. */
const MOST_VALUES = 1_000;
const LONGEST_VALUE = 300;

/** Nested lists are not lists of values. */
const DEEPEST = 3;

/** The keys under which a description of a parameter holds its values. */
const LISTS = ['values', 'options', 'enum', 'choices', 'allowed', 'supported', 'oneOf', 'anyOf'];

/** One of these makes an object the description of a parameter, so that its keys are not values. */
const DESCRIBING = new Set(
	[...LISTS, 'type', 'default', 'min', 'max', 'minimum', 'maximum', 'step', 'unit', 'items'].concat(
		['description', 'required', 'optional', 'nullable', 'format', 'pattern', 'label', 'title'],
		['name', 'id', 'key', 'example', 'examples', 'enabled', 'available', 'object', 'properties'],
	),
);

const isDescribing = (key: string) =>
	DESCRIBING.has(key) || /^(min|max|default)[_A-Z]/.test(key) || /^(width|height)$/.test(key);

/** The value if it is a list, otherwise an empty one. */
export const listOf = (value: unknown): unknown[] =>
	Array.isArray(value) ? (value as unknown[]) : [];

/**
 * A number or a text of 1 to 300 characters that are not all blanks, as text; `undefined` for
 * everything else, because no parameter takes it.
 */
export function asValue(value: unknown): string | undefined {
	if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
	if (typeof value !== 'string' || value.length > LONGEST_VALUE) return undefined;
	return value.trim() === '' ? undefined : value;
}

/** The first of these keys that holds a value. */
export const firstOf = (entry: Entry, keys: string[]): string | undefined =>
	keys.map((key) => asValue(entry[key])).find((value) => value !== undefined);

function element(raw: unknown): ModelValue | undefined {
	if (!isRecord(raw)) {
		const value = asValue(raw);
		return value === undefined ? undefined : { value };
	}
	const value = firstOf(raw, ['value', 'id', 'const', 'key', 'name', 'label']);
	if (value === undefined) return undefined;
	const label = firstOf(raw, ['label', 'title', 'display_name', 'name']);
	return label === undefined || label === value ? { value } : { value, label };
}

function unique(values: ModelValue[]): ModelValue[] {
	return [...new Map(values.map((one) => [one.value, one])).values()].slice(0, MOST_VALUES);
}

/** `{"16:9": {…}, "1:1": true}`: what is false or null is not offered. */
function keyedByValue(raw: Entry): ModelValue[] {
	const keys = Object.keys(raw).filter((key) => raw[key] !== false && raw[key] !== null);
	if (Object.keys(raw).some(isDescribing)) return [];
	return keys.flatMap((key) => {
		const inner = raw[key];
		const label = isRecord(inner) ? firstOf(inner, ['label', 'title', 'name']) : undefined;
		const value = asValue(key);
		if (value === undefined) return [];
		return label === undefined || label === value ? [{ value }] : [{ value, label }];
	});
}

/** The values in what a catalogue says of a parameter, whatever its shape. */
export function valuesIn(raw: unknown, depth = 0): ModelValue[] {
	if (depth > DEEPEST) return [];
	if (Array.isArray(raw)) {
		return unique(listOf(raw).flatMap((one) => element(one) ?? []));
	}
	if (!isRecord(raw)) return [];
	for (const key of [...LISTS, 'items']) {
		const values = typeof raw[key] === 'object' ? valuesIn(raw[key], depth + 1) : [];
		if (values.length > 0) return values;
	}
	return unique(keyedByValue(raw));
}

/** The value that it marks as the default. */
export function standardIn(raw: unknown): string | undefined {
	if (!isRecord(raw)) {
		const marked = listOf(raw).find(
			(one) => isRecord(one) && (one.default === true || one.is_default === true),
		);
		return element(marked)?.value;
	}
	const stated = firstOf(raw, ['default', 'default_value']);
	if (stated !== undefined) return stated;
	const lists = LISTS.map((key) => standardIn(raw[key]));
	return lists.find((value) => value !== undefined);
}
