/** In milliseconds. */
export const DAY_MS = 86_400_000;

/**
 * A moment in ms since the epoch; `NaN` for what is none. Without its zone, a date and time is none either:
 * nobody knows by what clock it is.
 */
export function momentOf(text: unknown): number {
	const isMoment =
		typeof text === 'string' && /^\d{4}-\d\d-\d\d[T ].*(Z|[+-]\d\d:?\d\d)$/i.test(text);
	return isMoment ? Date.parse(text) : NaN;
}
