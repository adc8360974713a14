import { createAndPoll } from './calls';
import { inLanes, type Client } from './client';

/** What generated SDKs do unless told otherwise: two retries, 0.5 s doubled up to 8 s, less up to a quarter by the dice. */
const RETRIES = 2;
const FIRST_MS = 500;
const MOST_MS = 8_000;

/** Five workers, each of which creates a job and polls it, as the examples of SDKs show it. */
function sdk(seconds: number): Client {
	return {
		name: `SDK, poll ${seconds} s`,
		async run(scene) {
			const delay = (refusals: number) => {
				const longest = Math.min(MOST_MS, FIRST_MS * 2 ** (refusals - 1));
				return longest * (1 - scene.random() / 4);
			};
			const patience = { most: RETRIES, delay };
			let lost = 0;
			await inLanes(scene.jobs, 5, async (item) => {
				if (!(await createAndPoll(scene, item, seconds * 1_000, patience))) lost += 1;
			});
			return lost;
		},
	};
}

export const sdkFast = sdk(1);

export const sdkSlow = sdk(5);
