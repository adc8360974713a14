/** How many letters have to be added, removed or replaced to turn one word into the other. */
function distance(one: string, other: string): number {
	let row = Array.from({ length: other.length + 1 }, (_, index) => index);
	for (const [index, letter] of [...one].entries()) {
		const next = [index + 1];
		for (const [at, its] of [...other].entries()) {
			const replaced = (row[at] ?? 0) + Number(letter !== its);
			next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
		}
		row = next;
	}
	return row.at(-1) ?? 0;
}

/** The longest name that is compared. */
const MAX_LENGTH = 100;

const lettersOf = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/**
 * The known name that is most likely meant by an unknown one: with the same letters, or with at most two
 * different ones.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
	const letters = lettersOf(name.slice(0, MAX_LENGTH));
	const ranked = known
		.map((one) => ({ one, far: distance(letters, lettersOf(one)) }))
		.sort((one, other) => one.far - other.far);
	const [best] = ranked;
	return best && best.far <= Math.min(2, letters.length / 3) ? best.one : undefined;
}
