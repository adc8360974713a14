/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/require-node-api-error -- not published */

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
