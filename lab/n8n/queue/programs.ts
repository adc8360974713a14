/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { accessSync, constants, readdirSync } from 'node:fs';
import path from 'node:path';
import { run } from '../../process/command';
import { LabError } from '../../process/failure';
import { stateRoot } from '../../process/paths';
import { withProgress, type Log } from '../../process/progress';

/** Where Debian keeps the servers of PostgreSQL, which are not on the PATH. */
const debianPostgres = '/usr/lib/postgresql';

const packages = { 'redis-server': 'redis-server', initdb: 'postgresql' } as const;

/** A server that queue mode needs. */
export type Program = keyof typeof packages;

/** The path of a program, or `undefined` where it is not installed. */
function findProgram(name: string): string | undefined {
	const folders = [...(process.env.PATH ?? '').split(path.delimiter), ...postgresFolders()];
	return folders.map((folder) => path.join(folder, name)).find(isExecutable);
}

/** Newest version first. */
function postgresFolders(): string[] {
	try {
		const versions = readdirSync(debianPostgres).sort((a, b) => Number(b) - Number(a));
		return versions.map((version) => path.join(debianPostgres, version, 'bin'));
	} catch {
		return [];
	}
}

function isExecutable(file: string): boolean {
	try {
		accessSync(file, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

/**
 * Finds a program, or installs its Debian package where that can be done without asking: as root
 * with apt-get.
 *
 * @throws LabError with the command to type otherwise
 */
export async function requireProgram(name: Program, log: Log): Promise<string> {
	const found = findProgram(name);
	if (found) return found;
	const wanted = packages[name];
	if (process.getuid?.() === 0 && findProgram('apt-get')) {
		await withProgress(log, `Installing ${wanted}`, async () => await aptInstall(wanted));
		const installed = findProgram(name);
		if (installed) return installed;
	}
	throw new LabError(
		`Queue mode needs ${name}: install it (Debian, Ubuntu: sudo apt-get install ${wanted}), ` +
			'or set REDIS_URL and DATABASE_URL to servers that run already',
	);
}

async function aptInstall(name: string): Promise<void> {
	const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
	const options = { cwd: '/', env, logFile: path.join(stateRoot, 'apt.log') };
	// A search before the package lists exist finds nothing.
	await run('apt-get', ['update', '-qq'], options);
	await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], options);
}
