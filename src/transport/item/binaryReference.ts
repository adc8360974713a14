/**
 * Stands in a request body where the URL of an upload will be: the named binary field of the item is sent with
 * POST /files first. Specification: Operation details, POST /files.
 */
export class BinaryReference {
	constructor(readonly field: string) {}
}

/** Replaces each reference in a body by what `resolve` answers; everything else is copied as it is. */
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
