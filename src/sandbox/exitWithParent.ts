/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
/**
 * Calls back when the process that started this one is gone. A signal to `npm run` ends npm and its
 * shell, but never reaches this process; without this the sandbox would be left running.
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
