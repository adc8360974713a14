/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
/**
 * Calls back when the process that started this one is gone. Whoever ends `npm run` with a signal ends npm
 * and its shell, and the signal never comes down to here; without this the sandbox would be left behind.
 */
export function exitWithParent(callback: () => void): void {
	const parent = process.ppid;
	const timer = setInterval(() => {
		if (process.ppid === parent) return;
		clearInterval(timer);
		callback();
	}, 500);
	timer.unref();
}
