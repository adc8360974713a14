/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';

/** A long-lived process (n8n, the sandbox) that cannot outlive us. */
export interface Guarded {
	stdout: NodeJS.ReadableStream;
	/**
	 * Resolves with the exit code once the whole process tree is gone, sockets and all; never rejects.
	 */
	ended: Promise<number>;
	/** SIGTERM, then SIGKILL to the whole process tree after `graceMs`. Safe to call twice. */
	stop(): Promise<void>;
	/** SIGKILL to the whole process tree at once, as a crash would. */
	kill(): Promise<void>;
}

/**
 * How to start a {@link Guarded}: `env` is the whole environment, output goes to `logFile` as well.
 */
export interface GuardedOptions {
	command: string;
	args: string[];
	cwd?: string;
	env: NodeJS.ProcessEnv;
	logFile: string;
	/** Milliseconds between SIGTERM and SIGKILL. */
	graceMs?: number;
}

/**
 * Spawns a command under `guard.cjs`, in a process group of its own: it ends when its standard
 * input is closed, which happens by itself when we are gone.
 */
export function spawnGuarded(
	command: string,
	args: string[],
	options: {
		cwd?: string;
		env: NodeJS.ProcessEnv;
		graceMs?: number;
		/** Whether the child's `close` waits until all that the command has started is gone. */
		waitsForTree?: boolean;
	},
): ChildProcessWithoutNullStreams {
	const { cwd, env, graceMs = 10_000, waitsForTree = false } = options;
	const guard = path.join(__dirname, 'guard.cjs');
	const child = spawn(process.execPath, [guard, command, ...args], {
		cwd,
		env: { ...env, LAB_GUARD_GRACE_MS: String(graceMs) },
		// The fourth is held by the command: it closes when that is gone, be the guard gone before.
		stdio: ['pipe', 'pipe', 'pipe', waitsForTree ? 'pipe' : 'ignore'],
		detached: process.platform !== 'win32',
	}) as ChildProcessWithoutNullStreams;
	// Unread, it would never close.
	(child.stdio[3] as Readable | null | undefined)?.resume();
	// A starter that stops while the guard is going away would otherwise die of EPIPE.
	child.stdin.on('error', () => undefined);
	return child;
}

/** Starts a long-lived process whose output goes to a log. */
export function startGuarded(options: GuardedOptions): Guarded {
	mkdirSync(path.dirname(options.logFile), { recursive: true });
	const log = createWriteStream(options.logFile, { flags: 'w' });
	const child = spawnGuarded(options.command, options.args, { ...options, waitsForTree: true });
	child.stdout.pipe(log, { end: false });
	child.stderr.pipe(log, { end: false });
	const ended = new Promise<number>((resolve) => {
		child.on('close', (code) => log.end(() => resolve(code ?? 137)));
		child.on('error', (error) => log.end(`${error.message}\n`, () => resolve(127)));
	});
	return {
		stdout: child.stdout,
		ended,
		async stop() {
			child.stdin.end();
			await ended;
		},
		async kill() {
			killTree(child);
			await ended;
		},
	};
}

function killTree(child: ChildProcess): void {
	if (child.pid === undefined || child.exitCode !== null) return;
	try {
		if (process.platform === 'win32') child.kill('SIGKILL');
		else process.kill(-child.pid, 'SIGKILL');
	} catch {
		// Gone between the look and the kill: what was wanted.
	}
}

/** The last lines of a log, for an error that has to explain itself. */
export function lastLines(logFile: string, count = 12): string {
	return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-count).join('\n');
}

const kept = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'USERPROFILE'];

/**
 * The few variables of our environment that a started process needs. What a shell, npm or jest adds
 * (N8N_PORT, NODE_ENV, NODE_OPTIONS, npm_config_*) would change how n8n behaves.
 */
export function cleanEnvironment(): NodeJS.ProcessEnv {
	return Object.fromEntries(
		kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
	);
}
