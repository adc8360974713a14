/**
 * Placeholder in a request body for the URL of an upload: the binary field of the item is sent with
 * POST /files first. Specification: Operation details, POST /files.
 */
export class BinaryReference {
	constructor(readonly field: string) {}
}

/** All references within a value. */
export function referencesIn(value: unknown): BinaryReference[] {
	if (value instanceof BinaryReference) return [value];
	if (typeof value !== 'object' || value === null) return [];
	return Object.values(value).flatMap(referencesIn);
}

/** Replaces each reference in a body by the result of `resolve`; everything else is copied. */
export async function resolveReferences(
	value: unknown,
	resolve: (reference: BinaryReference) => Promise<unknown>,
): Promise<unknown> {
	if (value instanceof BinaryReference) return await resolve(value);
	if (Array.isArray(value)) {
		const resolved: unknown[] = [];
		for (const entry of value) resolved.push(await resolveReferences(entry, resolve));
		return resolved;
	}
	if (typeof value !== 'object' || value === null) return value;
	const resolved: Record<string, unknown> = {};
	for (const [name, entry] of Object.entries(value)) {
		if (name === '__proto__') continue;
		resolved[name] = await resolveReferences(entry, resolve);
	}
	return resolved;
}
