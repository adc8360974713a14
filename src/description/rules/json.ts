import { isRecord } from '../../transport/base/types';
import { LEFT_OUT, preview, unlessEmpty, type Rule } from './rule';

/** The value itself, or what JSON text says; `undefined` for text that is not JSON. */
export function parsedJson(value: unknown): unknown {
	if (typeof value !== 'string') return value;
	try {
		return JSON.parse(value) as unknown;
	} catch {
		return undefined;
	}
}

/** The value as JSON carries it; `undefined` for what JSON cannot carry. */
function asJson(value: unknown): unknown {
	try {
		return parsedJson(typeof value === 'string' ? value : JSON.stringify(value));
	} catch {
		return undefined;
	}
}

/** Any JSON object, also as text: dates are texts, functions are nothing. Empty: left out. */
export const jsonObject = (): Rule =>
	unlessEmpty({}, (value) => {
		if (typeof value === 'string' && value.trim() === '') return LEFT_OUT;
		const json = asJson(value);
		if (!isRecord(json)) return { problem: `must be a JSON object, got ${preview(value)}` };
		return Object.keys(json).length === 0 ? LEFT_OUT : { value: json };
	});
