/**
 * A fault that somebody might put into the published code, in one place. `npm run mutants` puts it there and
 * runs the tests.
 */
export interface Mutant {
	/** What it is about, and which fault: `money/no-warning`. Unique. */
	name: string;
	/**
	 * The unit tests of which at least one must fail, from the root of the project: the fewer, the faster.
	 */
	tests: readonly string[];
	/** What a user would suffer from it. */
	why: string;
	/** What stands in the published code, exactly once. No file is named, so that code can be moved. */
	from: string;
	/** What the fault puts there instead. */
	to: string;
}

/** Mutants that the same tests must catch, by their names. */
export const caughtBy = (
	tests: string | readonly string[],
	faults: Record<string, Pick<Mutant, 'why' | 'from' | 'to'>>,
): Mutant[] =>
	Object.entries(faults).map(([name, fault]) => ({ name, tests: [tests].flat(), ...fault }));

/**
 * Why a mutant is none of the code as it stands; `undefined` if it can be tried.
 * @param sources the texts of all published files
 */
export function misfit({ from, to }: Mutant, sources: readonly string[]): string | undefined {
	const times = sources.reduce((sum, source) => sum + source.split(from).length - 1, 0);
	if (times !== 1) return `what it replaces occurs ${times} times instead of once`;
	return from === to ? 'it changes nothing' : undefined;
}
