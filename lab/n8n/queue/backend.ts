/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { setTimeout as sleep } from 'node:timers/promises';

/** A database or queue that n8n's processes share. */
export interface Backend {
	/** The variables by which n8n finds it. */
	env: Record<string, string>;
	/** Ends it and removes what it kept, where it is our own. */
	stop(): Promise<void>;
}

const longestMs = 60_000;

/** Asks until the answer is yes. `false` when the process behind it has ended, or a minute is over. */
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
