/**
 * `expect(actual).toBe(expected)` for properties and simulations of thousands of cases, where
 * making an expectation takes longer than all that it judges.
 */
export function expectSame<T>(actual: T, expected: T): void {
	if (!Object.is(actual, expected)) expect(actual).toBe(expected);
}
