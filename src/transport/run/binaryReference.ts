/**
 * Placeholder in a request body for the URL of an upload: the binary field of the item is sent with
 * POST /files first. Specification: Operation details, POST /files.
 */
export class BinaryReference {
	constructor(readonly field: string) {}
}

export function referencesIn(value: unknown): BinaryReference[] {
	if (value instanceof BinaryReference) return [value];
	if (typeof value !== 'object' || value === null) return [];
	return Object.values(value).flatMap(referencesIn);
}

/** A copy of a value in which something else stands in place of each reference. */
export function withoutReferences(value: unknown, insteadOf: (field: string) => unknown): unknown {
	if (value instanceof BinaryReference) return insteadOf(value.field);
	if (Array.isArray(value)) return value.map((entry) => withoutReferences(entry, insteadOf));
	if (typeof value !== 'object' || value === null) return value;
	const entries = Object.entries(value);
	return Object.fromEntries(
		entries.map(([name, entry]) => [name, withoutReferences(entry, insteadOf)]),
	);
}
