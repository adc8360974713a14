/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- not published */
import { createInterface } from 'node:readline';
import { programFailure } from '../process/disk';
import { projectRoot, stateRoot } from '../process/paths';
import { cleanEnvironment, lastLines, startGuarded } from '../process/process';
import path from 'node:path';

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
	const logFile = options.logFile ?? path.join(stateRoot, 'sandbox.log');
	const guarded = startGuarded({
		command: process.execPath,
		args: [
			// Not tsx's own command, which would start a second Node.
			...['--import', 'tsx'],
			path.join('src', 'sandbox', 'main.ts'),
			...['--port', String(options.port ?? 0)],
			...['--clock-scale', String(options.clockScale ?? 60)],
			...['--seed', String(options.seed ?? 1)],
			...(options.data ? ['--data', options.data] : []),
			'--json',
		],
		cwd: projectRoot,
		env: {
			...cleanEnvironment(),
			...(options.caFile ? { NODE_EXTRA_CA_CERTS: options.caFile } : {}),
		},
		logFile,
		graceMs: 3_000,
	});
	const timeout = new Promise<never>((_, reject) => {
		setTimeout(
			() => reject(programFailure('The sandbox was not ready in 60 s', logFile)),
			60_000,
		).unref();
	});
	const ended = guarded.ended.then((code): never => {
		throw programFailure(`The sandbox ended with code ${code}:\n${lastLines(logFile)}\n`, logFile);
	});
	try {
		const address = await Promise.race([readyLine(guarded.stdout), ended, timeout]);
		return { ...address, stop: async () => await guarded.stop() };
	} catch (error) {
		await guarded.kill();
		throw error;
	}
}

async function readyLine(output: NodeJS.ReadableStream): Promise<SandboxAddress> {
	return await new Promise((resolve) => {
		createInterface({ input: output }).on('line', (line) => {
			if (line.startsWith('{"')) resolve(JSON.parse(line) as SandboxAddress);
		});
	});
}
