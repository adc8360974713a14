/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
const SLICE_MS = 8;

/**
 * Returns a function to await in long loops: it lets the event loop turn once the slice of time
 * is used up, so that the service keeps answering while it renders.
 */
export function yieldToEventLoop(): () => Promise<void> {
	let since = performance.now();
	return async () => {
		if (performance.now() - since < SLICE_MS) return;
		await new Promise<void>((resolve) => setImmediate(resolve));
		since = performance.now();
	};
}
