/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import { tmpdir } from 'node:os';
import { demoOwner } from '../n8n/instance';
import { Cleanup } from '../process/cleanup';
import { inWords, LabError } from '../process/failure';
import { labRoot, outRoot, stateRoot } from '../process/paths';
import { endChildren, endUnfinished } from '../process/process';
import { outputLog, type Log } from '../process/progress';
import { endLeftovers } from '../process/running';
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

/** Says an error, in one line unless it is a bug. */
export function reportTo(log: Log, error: unknown): void {
	log.status?.('');
	console.error(inWords(error, [stateRoot, outRoot, labRoot, tmpdir()]));
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

/** Calls back once the process that has started this one is gone. */
function onOrphaned(callback: () => void): void {
	const parent = process.ppid;
	const look = () => {
		if (process.ppid !== parent) callback();
	};
	setInterval(look, 500).unref();
}

/**
 * Runs a start to its end. However that comes, Ctrl-C included, what it has started ends with it.
 */
export function runStart(main: (context: StartContext) => Promise<void>): void {
	const log = outputLog();
	const cleanup = new Cleanup();
	let isEnding = false;
	/** What is not ready yet has no step in the cleanup, and what has just become ready may have none. */
	const end = async () => {
		await endUnfinished();
		await cleanup.end();
		await endChildren();
	};
	const stop = (code: number, say: () => void) => {
		// npm and the terminal both send a signal, and what is being stopped fails.
		if (isEnding) return;
		isEnding = true;
		log.status?.('');
		say();
		const report = (error: unknown) => reportTo(log, error);
		void end()
			.catch(report)
			.finally(() => process.exit(process.exitCode ?? code));
	};
	const interrupt = () => stop(130, () => log('\nStopping …'));
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
	// A signal to npm ends npm and its shell, and never reaches this process.
	if (process.env.npm_lifecycle_event) onOrphaned(interrupt);
	const closed = 'Nobody reads the output any more, so everything is stopped.';
	process.stdout.on('error', () => stop(0, () => console.error(closed)));
	process.stderr.on('error', () => undefined);
	const fail = (error: unknown) => {
		if (!isEnding) process.exitCode = 1;
		stop(1, () => reportTo(log, error));
	};
	process.on('uncaughtException', fail);

	const start = async () => {
		const options = readOptions(process.argv.slice(2), process.env);
		const held = await lock();
		if (!('release' in held)) {
			for (const line of alreadyRunning(held, options.example)) log(line);
			// With `--once` the run of the example is the result, and it failed.
			process.exitCode = options.once ? 1 : 0;
			return;
		}
		cleanup.add(held.release);
		if ((await endLeftovers()) > 0) log('Ended what a start had left that was killed.');
		// Before half a minute is spent on starting what needs none of them.
		const port = options.ownN8n ? 0 : await availablePort(options.port, log);
		const sandboxPort = options.service ? 0 : await availablePort(options.sandboxPort, log);
		await main({ options, port, sandboxPort, log, cleanup, held });
	};
	start().then(() => stop(0, () => undefined), fail);
}
