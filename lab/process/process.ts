/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import execa from 'execa';
import { appendFileSync, closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LabError } from './failure';

/** How a command ended: exit code, and both its streams in the order they came. */
export interface CommandResult {
	code: number;
	output: string;
}

/**
 * Runs a command to its end. Never throws for an exit code: the caller words the failure.
 *
 * @param options.logFile takes the output too, after what is in it
 */
export async function run(
	command: string,
	args: string[],
	options: { cwd: string; env?: NodeJS.ProcessEnv; logFile?: string },
): Promise<CommandResult> {
	const { cwd, env = process.env, logFile } = options;
	// `input` closes its standard input, so that nothing waits for an answer.
	const own = { cwd, env, extendEnv: false, all: true, reject: false, input: '' } as const;
	type Ended = { exitCode?: number; all?: string };
	const { exitCode = 127, all = '' }: Ended = await execa(command, args, own);
	if (logFile) {
		mkdirSync(path.dirname(logFile), { recursive: true });
		appendFileSync(logFile, `$ ${[path.basename(command), ...args].join(' ')}\n${all}\n`);
	}
	return { code: exitCode, output: all };
}

/** A long-lived process (n8n, the sandbox) that cannot outlive us. */
export interface Guarded {
	/** Of the guard, whose only child is the process. */
	pid: number;
	/** Resolves with the exit code once the process is gone, sockets and all; never rejects. */
	ended: Promise<number>;
	/** SIGTERM, then SIGKILL to the whole process tree after `graceMs`. Safe to call twice. */
	stop(): Promise<void>;
	/** SIGKILL at once, as a crash would. */
	kill(): Promise<void>;
}

export interface GuardedOptions {
	/** Such as `n8n`, for messages. */
	name: string;
	command: string;
	args: string[];
	cwd?: string;
	/** The whole environment. */
	env: NodeJS.ProcessEnv;
	/** Takes all its output. */
	logFile: string;
	/** Milliseconds between SIGTERM and SIGKILL; default 10,000. */
	graceMs?: number;
	/** Whether it can be used. */
	isReady: () => Promise<boolean>;
	/** Default: a minute. */
	readyTimeoutMs?: number;
}

/**
 * Starts a long-lived process under `guard.cjs`, in a process group of its own, and waits until it is ready.
 *
 * @throws LabError with its last lines when it ends or hangs; nothing is left running then
 */
export async function startGuarded(options: GuardedOptions): Promise<Guarded> {
	const { name, command, args, cwd, env, logFile, graceMs = 10_000, isReady } = options;
	const { readyTimeoutMs: timeoutMs = 60_000 } = options;
	mkdirSync(path.dirname(logFile), { recursive: true });
	const log = openSync(logFile, 'w');
	const guard = [path.join(__dirname, 'guard.cjs'), String(graceMs), command, ...args];
	const child = execa(process.execPath, guard, {
		cwd,
		env,
		extendEnv: false,
		reject: false,
		stdio: ['pipe', log, log] as const,
		detached: process.platform !== 'win32',
	});
	closeSync(log);
	let failure: string | undefined;
	const ended = child.then(({ exitCode = 137 }: { exitCode?: number }) => {
		failure = `${name} ended with code ${exitCode}`;
		return exitCode;
	});
	const end = (signal: NodeJS.Signals) => async () => {
		child.kill(signal, { forceKillAfterTimeout: false });
		await ended;
	};
	const kill = end('SIGUSR2');
	const isOver = async () => failure !== undefined || (await isReady());
	if (!(await until(isOver, { timeoutMs, everyMs: 50 })))
		failure ??= `${name} was not ready in ${timeoutMs / 1000} s`;
	if (failure === undefined) return { pid: child.pid!, ended, stop: end('SIGTERM'), kill };
	await kill();
	const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-12);
	throw new LabError(`${failure}:\n${lines.join('\n')}\n`, logFile);
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

/** Where the first of these programs is that is on the PATH. */
export const findProgram = (...names: string[]): string | undefined =>
	execa.sync('which', names, { reject: false }).stdout?.split('\n')[0] || undefined;

/**
 * Asks until the answer is something, more and more seldom.
 *
 * @returns the answer; undefined when `timeoutMs` are over
 */
export async function until<T>(
	ask: () => Promise<T | undefined | false>,
	{ timeoutMs = 60_000, everyMs = 100 } = {},
): Promise<T | undefined> {
	const begun = Date.now();
	for (;;) {
		const answer = await ask();
		if (answer !== undefined && answer !== false) return answer;
		const waited = Date.now() - begun;
		if (waited > timeoutMs) return undefined;
		await sleep(Math.max(everyMs, Math.min(waited / 20, 1_000)));
	}
}
