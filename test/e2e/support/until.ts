/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Polls until something holds or time is up; the expectation after it then fails with the current
 * value.
 */
export async function until(
	test: () => boolean | Promise<boolean>,
	timeoutMs = 20_000,
): Promise<void> {
	const deadline = Date.now() + timeoutMs;
	while (!(await test()) && Date.now() < deadline) await sleep(100);
}
