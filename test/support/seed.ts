/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */

const { TEST_SEED } = process.env;

/**
 * The seed of a random test: the pinned one, so that a run in CI can be repeated, unless
 * `TEST_SEED` names another one (`random` for a new one).
 */
export function seedOf(pinned: number): number {
	if (TEST_SEED === 'random') return Date.now() % 2 ** 31;
	return TEST_SEED ? Number(TEST_SEED) : pinned;
}

/** What to type to see a failure again. */
export const repeatWith = (seed: number) => `TEST_SEED=${seed} repeats this.`;

/**
 * Plays as many random sequences, each of a seed of its own.
 * @param play gives what has happened, if anything was wrong with it
 */
export async function playSeeds(
	count: number,
	play: (seed: number) => Promise<string[]>,
): Promise<void> {
	const first = seedOf(1);
	for (let seed = first; seed < first + count; seed += 1) {
		const wrong = await play(seed);
		if (wrong.length > 0) throw new Error([repeatWith(seed), ...wrong].join('\n'));
	}
}
