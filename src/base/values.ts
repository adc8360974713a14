import { trimmed } from './texts';
import { isRecord } from './types';

/** The plain value of an object that was made by `new String`, `new Number` and the like, in any realm. */
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
 * Reads a boolean: `true` and `false` in upper or lower case, 1 and 0, also as text.
 * @returns `undefined` for everything else; an empty text is neither true nor false
 */
export function flagOf(value: unknown): boolean | undefined {
	if (typeof value === 'boolean') return value;
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const text = trimmed(String(value)).toLowerCase();
	return Object.hasOwn(FLAGS, text) ? FLAGS[text] : undefined;
}

/** The value at a path of names; `undefined` if there is none. */
export const valueAt = (values: unknown, path: string[]): unknown =>
	path.reduce((value, name) => (value as Record<string, unknown> | null)?.[name], values);

type ClassOf<Kind> = abstract new (...given: never[]) => Kind;

/** All objects of a class within a value, however deep. */
export function instancesIn<Kind>(value: unknown, kind: ClassOf<Kind>): Kind[] {
	if (value instanceof kind) return [value];
	if (typeof value !== 'object' || value === null) return [];
	return Object.values(value).flatMap((member) => instancesIn(member, kind));
}

/** A copy of a value in which something else stands in the place of each object of a class. */
export function withoutInstances<Kind>(
	value: unknown,
	kind: ClassOf<Kind>,
	insteadOf: (instance: Kind) => unknown,
): unknown {
	if (value instanceof kind) return insteadOf(value);
	if (Array.isArray(value)) return value.map((entry) => withoutInstances(entry, kind, insteadOf));
	if (typeof value !== 'object' || value === null) return value;
	const entries = Object.entries(value);
	return Object.fromEntries(
		entries.map(([name, entry]) => [name, withoutInstances(entry, kind, insteadOf)]),
	);
}

/**
 * A value as JSON with the names of each object in alphabetical order, so that equal values give equal texts.
 */
export const canonicalJson = (value: unknown): string =>
	JSON.stringify(value, (_name, member: unknown) => {
		if (!isRecord(member)) return member;
		const sorted = Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1));
		return Object.fromEntries(sorted);
	});

/**
 * A text as parsed JSON, with or without a byte order mark before it. A text that is no JSON stays as it is.
 */
export function parsed(text: string): unknown {
	const bare = text.replace(/^\ufeff/, '');
	try {
		return JSON.parse(bare);
	} catch {
		return bare;
	}
}

/** These stand for a body that cannot be used. Asked again, the service would send the same one. */
export const TOO_LONG = Symbol('too long');
export const TOO_DEEP = Symbol('nested too deeply');

export const isUnreadable = (body: unknown): body is symbol => typeof body === 'symbol';

/** More levels than any answer has. Recursive code, here and in n8n, would fail at deeper ones. */
const MAX_LEVELS = 200;

/** A body, or {@link TOO_DEEP} if its lists and objects are nested too deeply to be used. */
export function readable(body: unknown): unknown {
	let level = [body];
	for (let depth = 0; depth < MAX_LEVELS && level.length > 0; depth += 1) {
		const parents = level.filter((one) => typeof one === 'object' && one !== null);
		level = parents.flatMap((one) => Object.values(one as object) as unknown[]);
	}
	return level.length > 0 ? TOO_DEEP : body;
}
