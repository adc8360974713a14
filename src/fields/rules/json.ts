import { quoted, sendable, trimmed } from '../../base/texts';
import { isRecord } from '../../base/types';
import { LEFT_OUT, type Rule, type Ruled, whenThere } from './rule';

/** What stands in the code fence of a model's answer. */
const FENCED = /^[^`]*```[a-z0-9]*\s*([^]*?)```[^`]*$/i;

/** What JSON text says, in a code fence or without one; `undefined` for text that is not JSON. */
export function parsedJson(text: string): unknown {
	const [, fenced] = FENCED.exec(text) ?? [];
	try {
		return JSON.parse(trimmed(fenced ?? text)) as unknown;
	} catch {
		return undefined;
	}
}

/** Why JSON cannot carry a member of an object; `undefined` where it can. */
function memberProblem(name: string, member: unknown): string | undefined {
	if (name === '__proto__') return 'cannot be sent';
	if (member === undefined) return 'gives nothing';
	const isLost =
		['function', 'symbol', 'bigint'].includes(typeof member) ||
		(typeof member === 'number' && !Number.isFinite(member));
	return isLost ? `cannot be sent: ${quoted(member)}` : undefined;
}

/**
 * A value as JSON carries it: nothing in it is lost on the way, dates become texts, and texts can
 * be sent.
 */
export function asJson(value: unknown): Ruled {
	const given = typeof value === 'string' ? parsedJson(value) : value;
	if (given === undefined) {
		return {
			problem: `must be JSON, got ${quoted(value)}`,
			hint: 'JSON has double quotes around names and texts, and no comma after the last entry',
		};
	}
	let problem: string | undefined;
	const text = carried(given, (name, member) => {
		const wrong = memberProblem(name, member);
		if (wrong !== undefined) problem ??= `${quoted(name)} ${wrong}`;
	});
	if (problem !== undefined) return { problem: `cannot be used: ${problem}` };
	if (text === undefined) return { problem: `must be JSON, got ${quoted(given)}` };
	return { value: JSON.parse(text) as unknown };
}

/** A value as JSON text; `undefined` for one that JSON cannot carry. */
function carried(
	value: unknown,
	look: (name: string, member: unknown) => void,
): string | undefined {
	const noting = (name: string, member: unknown): unknown => {
		look(name, member);
		if (typeof member === 'bigint') return null;
		return typeof member === 'string' ? sendable(member) : member;
	};
	try {
		return JSON.stringify(value, noting);
	} catch {
		// A circular object, or one that fights back.
		return undefined;
	}
}

/** A JSON object, also as text. One without fields is left out. */
export const jsonObject = (): Rule =>
	whenThere({}, (value) => {
		const ruled = asJson(value);
		if ('problem' in ruled) return ruled;
		if (!isRecord(ruled.value)) return { problem: `must be a JSON object, got ${quoted(value)}` };
		return Object.keys(ruled.value).length === 0 ? LEFT_OUT : ruled;
	});
