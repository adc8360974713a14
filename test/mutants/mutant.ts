/**
 * A fault that somebody might put into the code, in one place. `npm run mutants` puts it there and runs the
 * tests.
 */
export interface Mutant {
	/** What it is about, and which fault: `money/no-warning`. Unique. */
	name: string;
	/** From the root of the project. */
	file: string;
	/**
	 * The unit tests of which at least one must fail, from the root of the project: the fewer, the faster.
	 */
	tests: readonly string[];
	/** What a user would suffer from it. */
	why: string;
	/** What stands in the file, exactly once. */
	from: string;
	/** What the fault puts there instead. */
	to: string;
}

/** Mutants of one file that the same tests must catch, by their names. */
export const inFile = (
	file: string,
	tests: string | readonly string[],
	faults: Record<string, Pick<Mutant, 'why' | 'from' | 'to'>>,
): Mutant[] =>
	Object.entries(faults).map(([name, fault]) => ({ name, file, tests: [tests].flat(), ...fault }));

/** Why a mutant is none of the code as it stands; `undefined` if it can be tried. */
export function misfit({ from, to }: Mutant, source: string): string | undefined {
	const times = source.split(from).length - 1;
	if (times !== 1) return `what it replaces occurs ${times} times instead of once`;
	return from === to ? 'it changes nothing' : undefined;
}
