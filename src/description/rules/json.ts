import { isRecord } from '../../transport/base/types';
import { ruleEmpty, shown, type Presence, type Rule } from './rule';

/** The value itself, or what JSON text says; `undefined` for text that is no JSON. */
export function parsedJson(value: unknown): unknown {
	if (typeof value !== 'string') return value;
	try {
		return JSON.parse(value) as unknown;
	} catch {
		return undefined;
	}
}

/** A JSON object of any shape, as an object or as text. */
export const jsonObject =
	(presence: Presence = {}): Rule =>
	(value) => {
		const isBlank = typeof value === 'string' && value.trim() === '';
		const empty = ruleEmpty(isBlank ? '' : value, presence);
		if (empty) return empty;
		const parsed = parsedJson(value);
		if (isRecord(parsed)) return { value: parsed };
		return { problem: `must be a JSON object, got ${shown(value)}` };
	};
