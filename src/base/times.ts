/* In milliseconds. */
export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/**
 * A moment in ms since the epoch; `NaN` if the text is none. A date and time without a zone is none either,
 * because nobody knows by which clock it was given.
 */
export function momentOf(text: unknown): number {
	const isMoment =
		typeof text === 'string' && /^\d{4}-\d\d-\d\d[T ].*(Z|[+-]\d\d:?\d\d)$/i.test(text);
	return isMoment ? Date.parse(text) : NaN;
}
