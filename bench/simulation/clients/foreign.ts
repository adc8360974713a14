import type { Random, Send } from '../../../src/base/types';
import type { VirtualClock } from '../../../test/model/virtualClock';
import { CONCURRENT_JOBS, REQUESTS_PER_MINUTE } from '../simulate';

/**
 * A client of another maker that takes a part of the requests and of the slots, evenly, whatever
 * others do: it creates where it has fewer jobs than its part, and looks at one of them otherwise.
 * @returns ends it
 */
export function foreignClient(
	clock: VirtualClock,
	send: Send,
	random: Random,
	part: number,
): () => void {
	let isOver = false;
	let made = 0;
	const running = new Set<string>();
	const step = async () => {
		const wanted = CONCURRENT_JOBS * part;
		const mayCreate =
			running.size + 1 <= wanted || (running.size < wanted && random() < wanted % 1);
		const [oldest] = running;
		if (mayCreate || oldest === undefined) {
			made += 1;
			const body = { mode: 'image', model: 'm', prompt: `foreign ${made}` };
			const created = await send({ method: 'POST', path: '/generations', body });
			if ('status' in created && created.status === 202)
				running.add((created.body as { id: string }).id);
			return;
		}
		const read = await send({ method: 'GET', path: `/generations/${oldest}` });
		running.delete(oldest);
		const isRunning =
			!('status' in read) || (read.body as { status?: string }).status !== 'completed';
		if (isRunning) running.add(oldest);
	};
	const loop = async () => {
		while (!isOver) {
			await clock.sleep((60_000 / (REQUESTS_PER_MINUTE * part)) * (0.75 + random() / 2));
			void step();
		}
	};
	void loop();
	return () => {
		isOver = true;
	};
}
