/* eslint-disable @n8n/community-nodes/no-restricted-globals, no-console -- not published */
import { diskFull, saysDiskFull } from '../process/disk';
import { LabError } from '../process/failure';
import type { Log } from '../process/progress';
import type { Cleanup } from './cleanup';
import { alreadyRunning } from './links';
import { lock, type Lock } from './lock';
import type { StartOptions } from './options';

/** Says an error in one line where it is one of the lab's. */
export function reportTo(log: Log, error: unknown): void {
	log.status?.('');
	const message = error instanceof Error ? error.message : String(error);
	const full = saysDiskFull(message) && !message.includes(diskFull);
	console.error(full ? diskFull : error instanceof LabError ? message : error);
}

/** @returns the lock, until the cleanup; undefined after saying where the start is that holds it */
export function takeLock({ once }: StartOptions, cleanup: Cleanup, log: Log): Lock | undefined {
	const held = lock();
	if ('release' in held) {
		cleanup.add(held.release);
		return held;
	}
	for (const line of alreadyRunning(held)) log(line);
	// With `--once` the run of the example is the result, and it failed.
	process.exitCode = once ? 1 : 0;
	return undefined;
}

/**
 * Runs a start to its end. However that comes, Ctrl-C included, what it has started ends with it.
 */
export function runStart(main: () => Promise<void>, cleanup: Cleanup, log: Log): void {
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
	// Such as a log that can no longer be written.
	process.on('uncaughtException', (error) => {
		if (interrupted) return;
		interrupted = true;
		reportTo(log, error);
		void cleanup.end().finally(() => process.exit(1));
	});
	main()
		.catch((error: unknown) => {
			if (interrupted) return;
			process.exitCode = 1;
			reportTo(log, error);
		})
		.finally(async () => await cleanup.end());
}
