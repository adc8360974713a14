/* eslint-disable @n8n/community-nodes/no-restricted-globals, no-console -- not published */
import { demoOwner } from '../n8n/instance';
import { LabError } from '../process/failure';
import { outputLog, type Log } from '../process/progress';
import { Cleanup } from './cleanup';
import { alreadyRunning, linkLines, lock, type Links, type Lock } from './lock';
import { availablePort, readOptions, type StartOptions } from './options';

/** What each kind of start works with. */
export interface StartContext {
	options: StartOptions;
	/** Where n8n listens. */
	port: number;
	sandboxPort: number;
	log: Log;
	cleanup: Cleanup;
	held: Lock;
}

/** Says an error in one line where it is one of the lab's. */
export function reportTo(log: Log, error: unknown): void {
	log.status?.('');
	console.error(error instanceof LabError ? error.message : error);
}

/**
 * Where n8n is. Who has asked for an example sees it first: the editor itself opens on something
 * else.
 */
export function linksTo(editor: string, workflowId: string, isAskedFor: boolean): Links {
	const workflow = `${editor}/workflow/${workflowId}`;
	const signIn = `(sign in with ${demoOwner.email} / ${demoOwner.password})`;
	return isAskedFor
		? { Workflow: `${workflow} ${signIn}`, Editor: editor }
		: { Editor: `${editor} ${signIn}`, Workflow: workflow };
}

/** Prints the addresses and stays until Ctrl-C. @throws LabError when n8n ends by itself */
export async function stayUp(
	{ log }: StartContext,
	links: Links,
	hint: string,
	n8n: { ended: Promise<number>; logFile: string },
): Promise<void> {
	for (const line of [...linkLines(links), hint]) log(line);
	throw new LabError(`n8n ended by itself with code ${await n8n.ended}`, n8n.logFile);
}

/**
 * Runs a start to its end. However that comes, Ctrl-C included, what it has started ends with it.
 */
export function runStart(main: (context: StartContext) => Promise<void>): void {
	const log = outputLog();
	const cleanup = new Cleanup();
	let interrupted = false;
	for (const signal of ['SIGINT', 'SIGTERM'] as const) {
		process.on(signal, () => {
			// npm and the terminal both send one.
			if (interrupted) return;
			interrupted = true;
			log.status?.('');
			log('\nStopping …');
			void cleanup.end().then(() => process.exit(process.exitCode ?? 130));
		});
	}
	const start = async () => {
		const options = readOptions(process.argv.slice(2), process.env);
		const held = lock();
		if (!('release' in held)) {
			for (const line of alreadyRunning(held)) log(line);
			// With `--once` the run of the example is the result, and it failed.
			process.exitCode = options.once ? 1 : 0;
			return;
		}
		cleanup.add(held.release);
		// Before half a minute is spent on starting what needs none of them.
		const port = options.ownN8n ? 0 : await availablePort(options.port, log);
		const sandboxPort = options.service ? 0 : await availablePort(options.sandboxPort, log);
		await main({ options, port, sandboxPort, log, cleanup, held });
	};
	start()
		.catch((error: unknown) => {
			if (interrupted) return;
			process.exitCode = 1;
			reportTo(log, error);
		})
		.finally(async () => await cleanup.end());
}
