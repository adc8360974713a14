/** Sums of fractions are not exact: so much of an amount of credits is nothing. */
export const toleranceOf = (credits: number): number => 1e-9 * credits;

/**
 * Whether a request does not fit into what is left of a limit.
 * @param price `null` where the service states none, `undefined` where it is not known yet
 */
export function isTooMuch(
	price: number | null | undefined,
	{ left, limit }: { left: number; limit: number },
): boolean {
	const tolerance = toleranceOf(limit);
	if (typeof price === 'number') return price > left + tolerance;
	return price === null || left <= tolerance;
}
