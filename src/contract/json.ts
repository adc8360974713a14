/** A JSON object of which nothing else is known. */
export type Json = Record<string, unknown>;

/** Whether a value is an object but neither null nor an array. */
export const isRecord = (value: unknown): value is Json =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** A text that is not empty; `undefined` for everything else. */
export const textOf = (value: unknown): string | undefined =>
	typeof value === 'string' && value !== '' ? value : undefined;
