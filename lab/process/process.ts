/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import execa from 'execa';
import { appendFileSync, closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LabError } from './failure';
import { beginningOf, enter, killGroup, leave, ourselves } from './running';

/** A process that cannot outlive us, in a process group of its own, led by `guard.cjs`. */
interface Child {
	/** Of the guard, whose only child is the process. */
	pid: number;
	/** Resolves once the process is gone, sockets and all; never rejects. */
	ended: Promise<CommandResult>;
	/** SIGTERM, then SIGKILL after `graceMs`. Safe to call twice. */
	stop(): Promise<void>;
	/** SIGKILL at once, as a crash would. */
	kill(): Promise<void>;
}

/** How a command ended: exit code, and both its streams in the order they came. */
export interface CommandResult {
	code: number;
	output: string;
}

interface ChildOptions {
	cwd?: string;
	/** The whole environment. */
	env: NodeJS.ProcessEnv;
	/** Where its output goes: into the result, to our own, or to an open file. */
	output: 'pipe' | 'inherit' | number;
	/** Milliseconds between SIGTERM and SIGKILL; default 10,000. */
	graceMs?: number;
}

/** All that run, in the order in which they were started. */
const children = new Set<Child>();

/**
 * Those of them that nobody else knows of: on their way to an end, or not ready yet; and how each is broken
 * off.
 */
const unfinished = new Map<Child, () => Promise<void>>();

let isOver = false;

/** Ends what has been begun and is not ready yet. From now on nothing can be started any more. */
export async function endUnfinished(): Promise<void> {
	isOver = true;
	await Promise.all([...unfinished.values()].map(async (breakOff) => await breakOff()));
}

/** Ends all that runs. */
export async function endChildren(): Promise<void> {
	isOver = true;
	await Promise.all([...children].map(async (child) => await child.stop()));
}

/**
 * Starts a command under a guard that ends it when we go away, however that happens.
 *
 * @throws LabError after {@link endUnfinished}
 */
export function spawnGuarded(
	command: string,
	args: string[],
	{ cwd, env, output, graceMs = 10_000 }: ChildOptions,
): Child {
	if (isOver) throw new LabError('Everything is being stopped');
	const guard = [path.join(__dirname, 'guard.cjs'), String(graceMs), command, ...args];
	const started = execa(process.execPath, guard, {
		cwd,
		env,
		extendEnv: false,
		reject: false,
		all: output === 'pipe',
		stdio: ['pipe', output, output],
		detached: process.platform !== 'win32',
	});
	const pid = started.pid!;
	// What is left of its group could keep its output open, and it from ending.
	started.on('exit', () => killGroup(pid));
	const signalled = (signal: NodeJS.Signals) => async () => {
		started.kill(signal, { forceKillAfterTimeout: false });
		await child.ended;
	};
	const child: Child = {
		pid,
		ended: started.then(({ exitCode = 137, all = '' }) => {
			children.delete(child);
			unfinished.delete(child);
			leave(pid);
			return { code: exitCode, output: all };
		}),
		stop: signalled('SIGTERM'),
		kill: signalled('SIGUSR2'),
	};
	children.add(child);
	unfinished.set(child, child.stop);
	enter({ pid, began: beginningOf(pid) ?? '', owner: ourselves });
	// Its guard waits for this.
	started.stdin?.on('error', () => undefined).write('begin');
	return child;
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
	const ended = await spawnGuarded(command, args, { cwd, env, output: 'pipe' }).ended;
	if (logFile) {
		mkdirSync(path.dirname(logFile), { recursive: true });
		const called = [path.basename(command), ...args].join(' ');
		appendFileSync(logFile, `$ ${called}\n${ended.output}\n`);
	}
	return ended;
}

/** A long-lived process (n8n, the sandbox) that cannot outlive us. */
export interface Guarded extends Pick<Child, 'pid' | 'stop' | 'kill'> {
	/** Resolves with the exit code once the process is gone, sockets and all; never rejects. */
	ended: Promise<number>;
}

export interface GuardedOptions extends Omit<ChildOptions, 'output'> {
	/** Such as `n8n`, for messages. */
	name: string;
	command: string;
	args: string[];
	/** Takes all its output. */
	logFile: string;
	/** Whether it can be used. */
	isReady: () => Promise<boolean>;
	/** Default: a minute. */
	readyTimeoutMs?: number;
}

/**
 * Starts a long-lived process and waits until it is ready.
 *
 * @throws LabError with its last lines when it ends or hangs; nothing is left running then
 */
export async function startGuarded(options: GuardedOptions): Promise<Guarded> {
	const { name, command, args, logFile, isReady, readyTimeoutMs: timeoutMs = 60_000 } = options;
	mkdirSync(path.dirname(logFile), { recursive: true });
	const log = openSync(logFile, 'w');
	let child: Child;
	try {
		child = spawnGuarded(command, args, { ...options, output: log });
	} finally {
		closeSync(log);
	}
	const { pid, stop, kill } = child;
	// It has done nothing yet that could get lost, and an n8n that is starting takes ten seconds to stop.
	unfinished.set(child, kill);
	let failure: string | undefined;
	const ended = child.ended.then(({ code }) => {
		failure = `${name} ended with code ${code}`;
		return code;
	});
	const isSettled = async () => failure !== undefined || (await isReady());
	if (!(await until(isSettled, { timeoutMs, everyMs: 50 })))
		failure ??= `${name} was not ready in ${timeoutMs / 1000} s`;
	if (failure === undefined) {
		unfinished.delete(child);
		return { pid, ended, stop, kill };
	}
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
