/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import { InstantClock } from '../model/instantClock';

/** A real request takes some of the real time. */
const REQUEST_MS = 500;

/** A sleep of so many ms that can be ended is a limit for what goes on meanwhile. */
const LIMIT_MS = 60_000;

class SystemClock extends InstantClock {
	override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
		if (ms >= LIMIT_MS && signal && !signal.aborted) {
			await new Promise<void>((resolve) => {
				const timer = setTimeout(resolve, REQUEST_MS);
				const end = () => {
					clearTimeout(timer);
					resolve();
				};
				signal.addEventListener('abort', end, { once: true });
			});
			if (signal.aborted) return;
		}
		await super.sleep(ms);
	}
}

/** In place of `src/base/clock`, for tests in which tries are seconds apart. */
export const systemClock = new SystemClock(Date.now());
