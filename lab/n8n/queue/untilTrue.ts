/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { setTimeout as sleep } from 'node:timers/promises';

const longestMs = 60_000;

/**
 * Asks until the answer is yes. `false` when the process behind it has ended, or a minute is over.
 */
export async function untilTrue(
	ask: () => Promise<boolean>,
	ended?: Promise<unknown>,
): Promise<boolean> {
	let isOver = false;
	void ended?.then(() => (isOver = true));
	const deadline = Date.now() + longestMs;
	while (!isOver && Date.now() < deadline) {
		if (await ask()) return true;
		await sleep(100);
	}
	return false;
}
