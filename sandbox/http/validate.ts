import type { z } from 'zod/v4';

import { ApiError, invalid } from '../errors';

interface Issue {
	field: string;
	message: string;
}

/** Reads a body or query by its schema. 400 names every field that is wrong. */
export function validate<T>(schema: z.ZodType<T>, value: unknown): T {
	const read = schema.safeParse(value);
	if (read.success) return read.data;
	throw refusal(read.error.issues);
}

function refusal(found: z.core.$ZodIssue[]): ApiError {
	const issues = found.flatMap(describe);
	const shown = issues.slice(0, 3).map(({ field, message }) => `${field}: ${message}`);
	const rest = issues.length > 3 ? `; and ${issues.length - 3} more` : '';
	const details = { issues: issues.slice(0, 20) };
	return new ApiError(400, 'invalid_request', shown.join('; ') + rest, details);
}

function describe(issue: z.core.$ZodIssue): Issue[] {
	const at = fieldName(issue.path);
	if (issue.code === 'unrecognized_keys') {
		return issue.keys.map((key) => ({ field: at ? `${at}.${key}` : key, message: 'is unknown' }));
	}
	return [{ field: at || 'body', message: issue.message }];
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
			const next = Array.isArray(value) ? `${field}[${name}]` : field ? `${field}.${name}` : name;
			refuseUnfit(each, next, depth + 1);
		}
	}
}
