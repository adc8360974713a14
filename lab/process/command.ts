/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { createWriteStream, mkdirSync } from 'node:fs';
import path from 'node:path';
import { spawnGuarded } from './process';

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
	options: CommandOptions,
): Promise<CommandResult> {
	if (options.logFile) mkdirSync(path.dirname(options.logFile), { recursive: true });
	const log = options.logFile ? createWriteStream(options.logFile, { flags: 'a' }) : undefined;
	log?.write(`$ ${[path.basename(command), ...args].join(' ')}\n`);
	return await new Promise((resolve) => {
		// Guarded: the npm of a killed start would go on writing below the one of the next start.
		const child = spawnGuarded(command, args, {
			cwd: options.cwd,
			env: options.env ?? process.env,
		});
		let output = '';
		const collect = (chunk: Buffer) => {
			output += chunk.toString();
			log?.write(chunk);
		};
		child.stdout.on('data', collect);
		child.stderr.on('data', collect);
		const finish = (code: number) => {
			if (log) log.end(() => resolve({ code, output }));
			else resolve({ code, output });
		};
		child.on('error', (error) => {
			collect(Buffer.from(error.message));
			finish(127);
		});
		child.on('close', (code) => finish(code ?? 137));
	});
}

/**
 * Runs npm. Under `npm start` and `npm test` npm passes
 * its own path; using that file works everywhere, while the bare name is a shell script on Windows.
 */
export async function npm(args: string[], options: CommandOptions): Promise<CommandResult> {
	const cli = process.env.npm_execpath;
	return cli?.endsWith('npm-cli.js')
		? await run(process.execPath, [cli, ...args], options)
		: await run('npm', args, options);
}
