import { createAndPoll, type Patience } from './calls';
import { inLanes, type Client, type Scene } from './client';

/** A loop in a workflow: HTTP Request, Wait 5 s, HTTP Request, If. */
const POLL_MS = 5_000;

/** n8n's Retry On Fail as it is preset: 3 tries, 1 s apart. */
const retryOnFail: Patience = { most: 2, delay: () => 1_000 };

async function make(scene: Scene, items: number[]): Promise<number> {
	const made = items.map(async (item) => await createAndPoll(scene, item, POLL_MS, retryOnFail));
	return (await Promise.all(made)).filter((isMade) => !isMade).length;
}

/** Loop Over Items with a batch size: the next ones start when all of the last ones have ended. */
function loop(name: string, size: number): Client {
	return {
		name,
		async run(scene) {
			let lost = 0;
			await inLanes(Math.ceil(scene.jobs / size), 1, async (batch) => {
				const length = Math.min(size, scene.jobs - batch * size);
				lost += await make(
					scene,
					Array.from({ length }, (_, index) => batch * size + index),
				);
			});
			return lost;
		},
	};
}

export const oneByOne = loop('loop, one by one', 1);

export const byFives = loop('loop, by fives', 5);
