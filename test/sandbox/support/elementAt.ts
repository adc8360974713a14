/** The element at an index that the list must have; throws where it has none. */
export function elementAt<T>(list: ArrayLike<T>, index: number): T {
	const element = list[index];
	if (element === undefined) throw new RangeError(`Index ${index} of a list of ${list.length}`);
	return element;
}
