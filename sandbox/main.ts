/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import { setFlagsFromString } from 'v8';

import { readCommandLine, startFrom, usage, UsageError } from './commandLine';

/** The same program in the checkout and in its package. */
const PROGRAM =
	process.env.npm_lifecycle_event === 'sandbox' ? 'npm run sandbox --' : 'mediagen-sandbox';

/**
 * Calls back when the process that started this one is gone. A signal to `npm run` ends npm and its
 * shell, but never reaches this process; without this the sandbox would be left running.
 */
function exitWithParent(callback: () => void): void {
	const parent = process.ppid;
	const timer = setInterval(() => {
		if (process.ppid === parent) return;
		clearInterval(timer);
		callback();
	}, 500);
	timer.unref();
}

// It runs beside n8n for days, and memory matters more there than the last bit of speed.
setFlagsFromString('--optimize-for-size');

async function main(): Promise<void> {
	const { help, json, start } = readCommandLine(process.argv.slice(2));
	if (help) return console.log(usage(PROGRAM));
	const sandbox = await startFrom(start);
	// Before the ready line, whose reader may end the sandbox at once.
	const end = () => void sandbox.close().then(() => process.exit(0));
	process.once('SIGTERM', end);
	process.once('SIGINT', end);
	if (process.env.npm_lifecycle_event) exitWithParent(end);
	const { baseUrl, adminUrl, keys } = sandbox;
	if (json) console.log(JSON.stringify({ baseUrl, adminUrl, keys }));
	else console.log((await import('./welcome')).welcome(sandbox));
	// Most of a second that the first output would wait for; what is wrong with it is reported there.
	void import('./media').catch(() => undefined);
}

/** Why the system refused to listen; other errors say themselves what they are about. */
const REFUSALS: Record<string, string> = {
	EADDRINUSE: 'The port is in use; choose another with --port.',
	EACCES: 'The port may not be used; choose another with --port.',
	EADDRNOTAVAIL: 'This machine has no such address; choose another with --host.',
	ENOTFOUND: 'There is no such host; choose another with --host.',
};

main().catch((error: NodeJS.ErrnoException) => {
	if (error instanceof UsageError) {
		console.error(`${error.message}\n${PROGRAM} --help lists the options.`);
		process.exit(2);
	}
	const isListening = ['listen', 'bind', 'getaddrinfo'].includes(error.syscall ?? '');
	const refusal = isListening ? REFUSALS[error.code ?? ''] : undefined;
	console.error(refusal ?? error.message);
	process.exit(1);
});
