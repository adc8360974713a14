/** What expressions and tool calls give for a boolean. */
const TRUE = new Set<unknown>([true, 'true', 1, '1']);
const FALSE = new Set<unknown>([false, 'false', 0, '0', '', null, undefined]);

/** @returns `undefined` for what is neither true nor false */
export function flagOf(value: unknown): boolean | undefined {
	if (TRUE.has(value)) return true;
	return FALSE.has(value) ? false : undefined;
}

/** The non-empty entries of an array, or of a text with commas or line breaks between them. */
export function listOf(value: unknown): string[] {
	const entries: unknown[] = Array.isArray(value) ? value : String(value ?? '').split(/[,\n]/);
	return entries.map((entry) => String(entry ?? '').trim()).filter((entry) => entry !== '');
}

/** The value at the end of a path of names; `undefined` where the path leads nowhere. */
export const valueAt = (values: unknown, path: string[]): unknown =>
	path.reduce((value, name) => (value as Record<string, unknown> | null)?.[name], values);
