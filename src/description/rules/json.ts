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

/** A JSON object of any shape, as an object or as text. */
export const jsonObject = (): Rule =>
	unlessEmpty({}, (value) => {
		if (typeof value === 'string' && value.trim() === '') return LEFT_OUT;
		const parsed = parsedJson(value);
		if (isRecord(parsed)) return { value: parsed };
		return { problem: `must be a JSON object, got ${preview(value)}` };
	});

/**
 * The value as JSON carries it: dates are texts, functions are nothing; `undefined` for what JSON
 * cannot carry.
 */
function asJson(value: unknown): unknown {
	try {
		return parsedJson(JSON.stringify(value));
	} catch {
		return undefined;
	}
}

/**
 * A JSON object that is merged into the body of a request, as an object or as text. Nothing in it
 * is nothing to merge.
 */
export const additionalBody = (): Rule => (value, context) => {
	const ruled = jsonObject()(value, context);
	if ('problem' in ruled || ruled.value === undefined) return ruled;
	const json = asJson(ruled.value);
	if (!isRecord(json)) return { problem: `must be a JSON object, got ${preview(value)}` };
	return Object.keys(json).length === 0 ? LEFT_OUT : { value: json };
};
