import type { Random } from '../../../src/base/types';
import { createAndPoll, type RetryPolicy } from './calls';
import { inLanes, type Client } from './client';

/** Two retries, 0.5 s doubled up to 8 s, minus up to a quarter at random. */
const retryAs = (random: Random): RetryPolicy => ({
	most: 2,
	delay(refusals) {
		const longest = Math.min(8_000, 500 * 2 ** (refusals - 1));
		return longest * (1 - random() / 4);
	},
});

/**
 * Five workers, each of which creates a job and waits for it as an SDK of OpenAI does: it reads at once and
 * then at intervals.
 */
const openai = (name: string, everyMs: number): Client => ({
	name,
	async run(scene) {
		let lost = 0;
		const polling = { firstMs: 0, everyMs, retry: retryAs(scene.random) };
		await inLanes(scene.jobs, 5, async (item) => {
			if (!(await createAndPoll(scene, item, polling))) lost += 1;
		});
		return lost;
	},
});

/** `openai` 3.3.1 for Python (openai/openai-python e43b422): `videos.poll` reads every second. */
export const openaiPython = openai('openai-python 3.3.1', 1_000);

/** `openai` 7.5.0 for Node (openai/openai-node 7b7d6ca): `pollWithResponse` reads every 5 s. */
export const openaiNode = openai('openai-node 7.5.0', 5_000);
