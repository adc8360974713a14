/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { clearLine, cursorTo } from 'node:readline';

/** Shows the progress to a person. Silent where there is none, as in tests. */
export interface Log {
	(line: string): void;
	/**
	 * Shows what is going on in one line that the next call rewrites; '' takes it away. Only a
	 * terminal can, so it is missing elsewhere.
	 */
	status?: (text: string) => void;
}

/** A {@link Log} for library callers that want no output. */
export const silent: Log = () => undefined;

/** A {@link Log} that writes plain lines, and on a terminal a status line below them. */
export function outputLog(output: NodeJS.WriteStream = process.stdout): Log {
	if (!output.isTTY || process.env.TERM === 'dumb') return (line) => output.write(`${line}\n`);
	let current = '';
	const show = (text: string) => {
		cursorTo(output, 0);
		clearLine(output, 0);
		// A line that wraps can no longer be rewritten.
		current = text.slice(0, (output.columns || 80) - 1);
		output.write(current);
	};
	const log: Log = (line) => {
		const below = current;
		show('');
		output.write(`${line}\n`);
		show(below);
	};
	log.status = show;
	return log;
}

/**
 * Does something slow and shows that it still goes on: every second on a terminal, where one line
 * is rewritten, and every few seconds as a line of its own elsewhere.
 *
 * @param label what is being done, with the time it usually takes
 */
export async function withProgress<T>(log: Log, label: string, work: () => Promise<T>): Promise<T> {
	const started = Date.now();
	const seconds = () => Math.round((Date.now() - started) / 1000);
	const show = log.status ?? log;
	show(`${label} …`);
	const everyMs = log.status ? 1_000 : 10_000;
	const timer = setInterval(() => show(`${label} … ${seconds()} s`), everyMs);
	try {
		return await work();
	} finally {
		clearInterval(timer);
		log.status?.('');
	}
}
