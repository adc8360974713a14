import { quoted, sendable, trimmed } from '../../base/texts';
import { isRecord } from '../../base/types';
import { isUnreadable, readable, unboxed } from '../../base/values';
import { LEFT_OUT, type Rule, whenThere } from './rule';

const FENCE = '```';

/** The content of the code fence in the answer of a language model, without the name of its format. */
function fenced(text: string): string {
	const start = text.indexOf(FENCE) + FENCE.length;
	const end = text.lastIndexOf(FENCE);
	return text.slice(start, end).replace(/^[a-z0-9]+/i, '');
}

function jsonOrNothing(text: string): unknown {
	try {
		const json = readable(JSON.parse(trimmed(text)));
		return isUnreadable(json) ? undefined : json;
	} catch {
		return undefined;
	}
}

/**
 * The value of JSON text, in a code fence or without one; `undefined` if it is no JSON or nested too deeply.
 */
export const parsedJson = (text: string): unknown =>
	jsonOrNothing(text) ?? (text.includes(FENCE) ? jsonOrNothing(fenced(text)) : undefined);

/** Why JSON cannot express a member of an object; `undefined` if it can. */
function memberProblem(name: string, member: unknown): string | undefined {
	if (name === '__proto__') return 'cannot be sent';
	if (member === undefined) return 'gives nothing';
	const isLost =
		['function', 'symbol', 'bigint'].includes(typeof member) ||
		(typeof member === 'number' && !Number.isFinite(member));
	return isLost ? `cannot be sent: ${quoted(member)}` : undefined;
}

/** A value as JSON text; `undefined` if JSON cannot express it. */
function carried(
	value: unknown,
	look: (name: string, member: unknown) => void,
): string | undefined {
	const noting = (name: string, given: unknown): unknown => {
		const member = unboxed(given);
		look(name, member);
		if (typeof member === 'bigint') return null;
		return typeof member === 'string' ? sendable(member) : member;
	};
	try {
		return JSON.stringify(value, noting);
	} catch {
		// The value is a circular object, or throws.
		return undefined;
	}
}

const SYNTAX = 'JSON has double quotes around names and texts, and no comma after the last entry';

/**
 * A JSON object, also given as text. Dates become texts, and a value that JSON cannot express is a problem.
 * An object without fields is left out.
 */
export const jsonObject = (): Rule =>
	whenThere({}, (value) => {
		const given = typeof value === 'string' ? parsedJson(value) : value;
		let lost: string | undefined;
		const text = carried(given, (name, member) => {
			const problem = memberProblem(name, member);
			if (problem !== undefined) lost ??= `${quoted(name)} ${problem}`;
		});
		if (isRecord(given) && lost !== undefined) return { problem: `cannot be used: in it ${lost}` };
		const json = text === undefined ? undefined : (JSON.parse(text) as unknown);
		if (!isRecord(json))
			return { problem: `must be a JSON object, got ${quoted(value)}`, hint: SYNTAX };
		return Object.keys(json).length === 0 ? LEFT_OUT : { value: json };
	});
