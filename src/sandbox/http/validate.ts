import { z } from 'zod/v4';

import type { Settings } from '../state/settings';
import { ApiError } from '../errors';

export interface Issue {
	field: string;
	message: string;
}

type Found = z.core.$ZodIssue;

/**
 * Reads a body or query by its schema. 400 names every field that is wrong.
 * `unknownFields: 'ignore'` drops fields that no schema knows instead.
 */
export function validate<T>(schema: z.ZodType<T>, value: unknown, settings: Settings): T {
	const first = schema.safeParse(value);
	if (first.success) return first.data;
	const unknown = first.error.issues.filter(isUnknown);
	if (settings.unknownFields === 'ignore' && unknown.length > 0) {
		const copy = structuredClone(value);
		unknown.forEach((issue) => dropKeys(copy, issue.path, issue.keys));
		return validate(schema, copy, settings);
	}
	throw refusal(first.error.issues);
}

function isUnknown(issue: Found): issue is z.core.$ZodIssueUnrecognizedKeys {
	return issue.code === 'unrecognized_keys';
}

function refusal(found: Found[]): ApiError {
	const issues = found.flatMap(describe);
	const shown = issues.slice(0, 3).map(({ field, message }) => `${field}: ${message}`);
	const rest = issues.length > 3 ? `; and ${issues.length - 3} more` : '';
	return new ApiError(400, 'invalid_request', shown.join('; ') + rest, {
		issues: issues.slice(0, 20),
	});
}

function describe(issue: Found): Issue[] {
	const at = fieldName(issue.path);
	if (isUnknown(issue)) {
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

function dropKeys(root: unknown, path: PropertyKey[], keys: string[]): void {
	const target = path.reduce<unknown>(
		(node, part) => (node as Record<PropertyKey, unknown>)[part],
		root,
	);
	for (const key of keys) delete (target as Record<string, unknown>)[key];
}

const DEEPEST = 64;

/**
 * No text of the service can hold a null byte or half of a surrogate pair, and no body goes deep.
 */
export function refuseUnfit(value: unknown, field = '', depth = 0): void {
	const refuse = (message: string) => {
		const name = field || 'body';
		return new ApiError(400, 'invalid_request', `${name}: ${message}`, {
			issues: [{ field: name, message }],
		});
	};
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
