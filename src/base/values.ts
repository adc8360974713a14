import { trimmed } from './texts';
import { isRecord } from './types';

/** What a text, a number or a boolean holds that was made by `new String` and the like, in whatever realm. */
export function unboxed(value: unknown): unknown {
	if (typeof value !== 'object' || value === null) return value;
	switch (Object.prototype.toString.call(value)) {
		case '[object String]':
		case '[object Number]':
		case '[object Boolean]':
		case '[object BigInt]':
			return (value as { valueOf: () => unknown }).valueOf();
		default:
			return value;
	}
}

const FLAGS: Record<string, boolean> = { true: true, '1': true, false: false, '0': false };

/**
 * The one reader of booleans: `true` and `false` in any case, 1 and 0, also as text.
 * @returns `undefined` for everything else; what is empty is neither true nor false
 */
export function flagOf(value: unknown): boolean | undefined {
	if (typeof value === 'boolean') return value;
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const text = trimmed(String(value)).toLowerCase();
	return Object.hasOwn(FLAGS, text) ? FLAGS[text] : undefined;
}

/** The value at the end of a path of names; `undefined` where the path leads nowhere. */
export const valueAt = (values: unknown, path: string[]): unknown =>
	path.reduce((value, name) => (value as Record<string, unknown> | null)?.[name], values);

/** A value as JSON in which the names of an object stand in order, however it was put together. */
export const inOrder = (value: unknown): string =>
	JSON.stringify(value, (_name, member: unknown) => {
		if (!isRecord(member)) return member;
		const sorted = Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1));
		return Object.fromEntries(sorted);
	});
