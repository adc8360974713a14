/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { projectRoot } from '../process/paths';
import { cleanEnvironment, startGuarded } from '../process/process';

/** A key that the sandbox knows from the start. */
export interface SandboxKey {
	key: string;
	workspace: string;
	scopes: string[];
	/** Whether its workspace has API entitlement. */
	entitled: boolean;
}

/** The line of JSON that the sandbox prints when it is ready. */
export interface SandboxAddress {
	/** Ends in `/v1`. */
	baseUrl: string;
	adminUrl: string;
	keys: SandboxKey[];
}

export interface Sandbox extends SandboxAddress {
	stop(): Promise<void>;
}

export interface SandboxOptions {
	/** 0, the default, picks a free one. */
	port?: number;
	/** How many times faster than life its clock runs; default 60. */
	clockScale?: number;
	seed?: number;
	/** Keeps its state over restarts in this folder. Default: in memory. */
	data?: string;
	logFile?: string;
	/** A certificate (PEM) that deliveries trust besides the public ones. */
	caFile?: string;
}

/**
 * Starts the service emulator as a process of its own, as `npm run sandbox` does.
 *
 * @throws LabError with its last lines when it ends before it is ready, or is not ready in 60 s
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	// One for each, because several may run at once.
	const own = path.join(tmpdir(), `mediagen-sandbox-${process.pid}-${(started += 1)}.log`);
	const { port = 0, clockScale = 60, seed = 1, data, caFile, logFile = own } = options;
	const flags = { port, 'clock-scale': clockScale, seed, ...(data && { data }) };
	const readyLine = () => /^\{".*\}$/m.exec(readFileSync(logFile, 'utf8'))?.[0];
	const guarded = await startGuarded({
		name: 'The sandbox',
		command: process.execPath,
		args: [
			// Not tsx's own command, which would start a second Node.
			...['--import', 'tsx', path.join('src', 'sandbox', 'main.ts'), '--json'],
			...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]),
		],
		cwd: projectRoot,
		env: { ...cleanEnvironment(), ...(caFile && { NODE_EXTRA_CA_CERTS: caFile }) },
		logFile,
		graceMs: 3_000,
		isReady: async () => readyLine() !== undefined,
	});
	const address = JSON.parse(readyLine() ?? '') as SandboxAddress;
	const stop = async () => {
		await guarded.stop();
		if (!options.logFile) rmSync(own, { force: true });
	};
	return { ...address, stop };
}

let started = 0;
