import type { Random } from '../../../src/base/types';
import { createAndPoll, type Polling, type RetryPolicy } from './calls';
import { inLanes, type Client } from './client';

/** Five workers, each of which creates a job and waits for it as the SDK does. */
const sdk = (name: string, polling: (random: Random) => Polling): Client => ({
	name,
	async run(scene) {
		let lost = 0;
		await inLanes(scene.jobs, 5, async (item) => {
			if (!(await createAndPoll(scene, item, polling(scene.random)))) lost += 1;
		});
		return lost;
	},
});

/**
 * `replicate` 1.4.0 (replicate/replicate-javascript 2fd6f39): `wait` reads at once and then every 500 ms. Six attempts without
 * a pause, because `withAutomaticRetries` sleeps only for whole milliseconds, which its jittered delay never is.
 */
export const replicate = sdk('replicate 1.4.0', () => {
	const retry: RetryPolicy = { most: 5, delay: () => 0 };
	return { firstMs: 0, everyMs: 500, create: retry, poll: retry };
});

/**
 * `@fal-ai/client` 1.10.1 (fal-ai/fal-js 381105e): `queue.subscribeToStatus` reads at once and then 500 ms after each answer;
 * `queue.result` is one request more. 1 s doubled up to 30 s, by a quarter more or less at random; 3 retries, 5 of a status.
 */
export const fal = sdk('fal 1.10.1', (random) => {
	const delay = (refusals: number) => {
		const exponential = Math.min(30_000, 1_000 * 2 ** (refusals - 1));
		return exponential * (0.75 + random() / 2);
	};
	const [create, poll] = [3, 5].map((most) => ({ most, delay })) as [RetryPolicy, RetryPolicy];
	return { firstMs: 0, everyMs: 500, create, poll, hasResult: true };
});

/** Both SDKs of OpenAI: two retries, 0.5 s doubled up to 8 s, minus up to a quarter at random. */
const openai = (everyMs: number) => (random: Random) => {
	const delay = (refusals: number) => {
		const longest = Math.min(8_000, 500 * 2 ** (refusals - 1));
		return longest * (1 - random() / 4);
	};
	const retry: RetryPolicy = { most: 2, delay };
	return { firstMs: 0, everyMs, create: retry, poll: retry };
};

/** `openai` 3.3.1 for Python (openai/openai-python e43b422): `videos.poll` reads at once and then every second. */
export const openaiPython = sdk('openai-python 3.3.1', openai(1_000));

/** `openai` 7.5.0 for Node (openai/openai-node 7b7d6ca): `pollWithResponse` reads at once and then every 5 s. */
export const openaiNode = sdk('openai-node 7.5.0', openai(5_000));
