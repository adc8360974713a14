/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import execa from 'execa';
import { accessSync, appendFileSync, closeSync, constants, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** How a command ended: exit code, and both its streams in the order they came. */
export interface CommandResult {
	code: number;
	output: string;
}

export interface CommandOptions {
	cwd: string;
	env?: NodeJS.ProcessEnv;
	/** Also append the output here. */
	logFile?: string;
}

/** Runs a command to its end. Never throws for an exit code: the caller words the failure. */
export async function run(
	command: string,
	args: string[],
	{ cwd, env = process.env, logFile }: CommandOptions,
): Promise<CommandResult> {
	// `input` closes its standard input, so that nothing waits for an answer.
	const options = { cwd, env, extendEnv: false, all: true, reject: false, input: '' } as const;
	const {
		exitCode = 127,
		all = '',
		originalMessage = '',
	} = (await execa(command, args, options)) as {
		exitCode?: number;
		all?: string;
		originalMessage?: string;
	};
	const output = all || originalMessage;
	if (logFile) {
		mkdirSync(path.dirname(logFile), { recursive: true });
		appendFileSync(logFile, `$ ${[path.basename(command), ...args].join(' ')}\n${output}\n`);
	}
	return { code: exitCode, output };
}

/** A long-lived process (n8n, the sandbox) that cannot outlive us. */
export interface Guarded {
	/** Resolves with the exit code once the whole process tree is gone, sockets and all; never rejects. */
	ended: Promise<number>;
	/** SIGTERM, then SIGKILL to the whole process tree after `graceMs`. Safe to call twice. */
	stop(): Promise<void>;
	/** SIGKILL to the whole process tree at once, as a crash would. */
	kill(): Promise<void>;
}

export interface GuardedOptions {
	command: string;
	args: string[];
	cwd?: string;
	/** The whole environment. */
	env: NodeJS.ProcessEnv;
	/** Takes all its output. */
	logFile: string;
	/** Milliseconds between SIGTERM and SIGKILL; default 10,000. */
	graceMs?: number;
}

/**
 * Starts a long-lived process under `guard.cjs`, in a process group of its own: it ends when its
 * standard input is closed, which happens by itself when we are gone.
 */
export function startGuarded(options: GuardedOptions): Guarded {
	const { command, args, cwd, env, logFile, graceMs = 10_000 } = options;
	mkdirSync(path.dirname(logFile), { recursive: true });
	const log = openSync(logFile, 'w');
	const guard = [path.join(__dirname, 'guard.cjs'), String(graceMs), command, ...args];
	const child = execa(process.execPath, guard, {
		cwd,
		env,
		extendEnv: false,
		// The fourth is held by the command: it closes when that is gone, be the guard gone before.
		stdio: ['pipe', log, log, 'pipe'],
		detached: process.platform !== 'win32',
		reject: false,
	});
	closeSync(log);
	// Unread, it would never close.
	(child.stdio?.[3] as Readable | undefined)?.resume();
	// A starter that stops while the guard is going away would otherwise die of EPIPE.
	child.stdin?.on('error', () => undefined);
	const ended = new Promise<number>((resolve) => {
		child.on('close', (code) => resolve(code ?? 137));
	});
	return {
		ended,
		async stop() {
			child.stdin?.end();
			await ended;
		},
		async kill() {
			try {
				if (child.pid && child.exitCode === null)
					process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
			} catch {
				// Gone between the look and the kill: what was wanted.
			}
			await ended;
		},
	};
}

const kept = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'USERPROFILE'];

/**
 * The few variables of our environment that a started process needs. What a shell, npm or jest adds
 * (N8N_PORT, NODE_ENV, NODE_OPTIONS, npm_config_*) would change how n8n behaves.
 */
export function cleanEnvironment(): NodeJS.ProcessEnv {
	const all = kept.map((name) => [name, process.env[name]] as const);
	return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}

function isExecutable(file: string): boolean {
	try {
		accessSync(file, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

/** The first executable file of this name in these folders, by default those of PATH. */
export function findProgram(
	names: string[],
	folders = (process.env.PATH ?? '').split(path.delimiter),
) {
	const files = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
	return files.find(isExecutable);
}

/**
 * Asks until the answer is something.
 *
 * @returns the answer; undefined when `timeoutMs` are over
 */
export async function until<T>(
	ask: () => Promise<T | undefined | false>,
	{ timeoutMs = 60_000, everyMs = 100 } = {},
): Promise<T | undefined> {
	for (const deadline = Date.now() + timeoutMs; ; await sleep(everyMs)) {
		const answer = await ask();
		if (answer !== undefined && answer !== false) return answer;
		if (Date.now() > deadline) return undefined;
	}
}
