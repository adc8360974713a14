import type { z } from 'zod/v4';

import { ApiError, invalid } from '../errors';

interface Issue {
	field: string;
	message: string;
}

/** Reads what came from outside by its schema. 400 names every field that is wrong. */
export function validate<T>(schema: z.ZodType<T>, value: unknown, whole = 'body'): T {
	const read = schema.safeParse(value);
	if (read.success) return read.data;
	throw refusal(read.error.issues, whole);
}

/** Reads a request as {@link validate} does, but passes over fields that the schema does not name. */
export function validateKnown<T>(schema: z.ZodType<T>, value: object): T {
	const read = schema.safeParse(value);
	if (read.success) return read.data;
	const known = structuredClone(value);
	for (const issue of read.error.issues) {
		if (issue.code !== 'unrecognized_keys') continue;
		const part = issue.path.reduce<unknown>((at, name) => Reflect.get(Object(at), name), known);
		for (const key of issue.keys) Reflect.deleteProperty(Object(part), key);
	}
	return validate(schema, known);
}

function refusal(found: z.core.$ZodIssue[], whole: string): ApiError {
	const issues = found.flatMap((issue) => describe(issue, whole));
	const shown = issues.slice(0, 3).map(({ field, message }) => `${field}: ${message}`);
	const rest = issues.length > 3 ? `; and ${issues.length - 3} more` : '';
	const details = { issues: issues.slice(0, 20) };
	return new ApiError(400, 'invalid_request', shown.join('; ') + rest, details);
}

function describe(issue: z.core.$ZodIssue, whole: string): Issue[] {
	const at = fieldName(issue.path);
	if (issue.code === 'unrecognized_keys') {
		return issue.keys.map((key) => ({ field: at ? `${at}.${key}` : key, message: 'is unknown' }));
	}
	return [{ field: at || whole, message: issue.message }];
}

/** For example `blocks[2].text`. */
function fieldName(path: PropertyKey[]): string {
	return path.reduce<string>((name, part) => {
		if (typeof part === 'number') return `${name}[${part}]`;
		return name ? `${name}.${String(part)}` : String(part);
	}, '');
}

const DEEPEST = 64;

/**
 * No text of the service can hold a null byte or half of a surrogate pair, and no body goes deep.
 */
export function refuseUnfit(value: unknown, field = '', depth = 0): void {
	const refuse = (message: string) => invalid(field || 'body', message);
	if (typeof value === 'string') {
		if (value.includes('\0')) throw refuse('must not contain a null byte');
		if (/\p{Surrogate}/u.test(value)) throw refuse('is not valid Unicode');
	} else if (value !== null && typeof value === 'object') {
		if (depth > DEEPEST) throw refuse('is nested too deeply');
		for (const [name, each] of Object.entries(value)) {
			if (name.includes('\0')) throw refuse('has a field name with a null byte');
			const inObject = field ? `${field}.${name}` : name;
			refuseUnfit(each, Array.isArray(value) ? `${field}[${name}]` : inObject, depth + 1);
		}
	}
}
