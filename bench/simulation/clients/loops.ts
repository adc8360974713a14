import { createAndPoll, type Polling, type RetryPolicy } from './calls';
import type { Client } from './client';

/**
 * n8n's own template of a loop that polls, as its builders are taught it (n8n-io/skills 1.0.2,
 * `n8n-loops-official`, LOOP_OVER_ITEMS.md, pattern 4): HTTP Request, Loop Over Items, Wait 30 s, HTTP
 * Request, If; ten rounds at most. Its requests retry as the same package has it
 * (`n8n-error-handling-official`): 3 tries, 5 s apart. n8n tries all items of a node again when one fails;
 * here only the one is, which is kinder to the loop.
 */
const retryOnFail: RetryPolicy = { most: 2, delay: () => 5_000 };

const WAIT_MS = 30_000;

const template: Polling = {
	firstMs: WAIT_MS,
	everyMs: WAIT_MS,
	retry: retryOnFail,
	mostPolls: 10,
};

/** Loop Over Items with a batch size: the next ones start when all of the last ones have ended. */
const loop = (name: string, size: number): Client => ({
	name,
	async run(scene) {
		let lost = 0;
		for (let first = 0; first < scene.jobs; first += size) {
			const length = Math.min(size, scene.jobs - first);
			const batch = Array.from({ length }, async (_, index) =>
				createAndPoll(scene, first + index, template),
			);
			lost += (await Promise.all(batch)).filter((isMade) => !isMade).length;
		}
		return lost;
	},
});

export const oneByOne = loop('n8n loop, one by one', 1);

export const byFives = loop('n8n loop, by fives', 5);
