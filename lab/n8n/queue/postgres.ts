/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Cleanup } from '../../demo/cleanup';
import { run } from '../../process/command';
import { LabError } from '../../process/failure';
import { freePort } from '../../process/ports';
import { cleanEnvironment, lastLines, startGuarded } from '../../process/process';
import type { Log } from '../../process/progress';
import { requireProgram } from './programs';
import { requireServer } from './server';
import { untilTrue } from './untilTrue';

const host = '127.0.0.1';
const user = 'n8n';

/**
 * The variables that n8n reads for a database at an address such as
 * `postgres://user:password@host:5432/n8n`.
 */
function environmentOf(address: string): Record<string, string> {
	const { hostname, port, username, password, pathname } = new URL(address);
	return {
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: hostname,
		DB_POSTGRESDB_PORT: port || '5432',
		DB_POSTGRESDB_USER: decodeURIComponent(username),
		DB_POSTGRESDB_PASSWORD: decodeURIComponent(password),
		DB_POSTGRESDB_DATABASE: pathname.slice(1) || 'postgres',
	};
}

/** PostgreSQL refuses to run as root, so then it runs as the user that Debian's package makes. */
function asOwner(command: string, args: string[]): { command: string; args: string[] } {
	if (process.getuid?.() !== 0) return { command, args };
	return { command: 'runuser', args: ['-u', 'postgres', '--', command, ...args] };
}

async function exec(command: string, args: string[], logFile: string): Promise<boolean> {
	const owned = asOwner(command, args);
	// Its owner may not enter the folder that we are in.
	const { code } = await run(owned.command, owned.args, { cwd: os.tmpdir(), logFile });
	return code === 0;
}

/**
 * The PostgreSQL at DATABASE_URL, or one of our own in a temporary folder.
 *
 * @returns the variables by which n8n finds it
 */
export async function startPostgres(cleanup: Cleanup, log: Log): Promise<Record<string, string>> {
	const given = process.env.DATABASE_URL;
	if (given) return environmentOf(await requireServer('DATABASE_URL', given));
	const initdb = await requireProgram('initdb', log);
	// Often a link from a folder that holds none of the others.
	const bin = path.dirname(realpathSync(initdb));
	// The database's owner may not write the logs, so they are in a folder of their own.
	const [folder, logs] = ['mediagen-postgres-', 'mediagen-postgres-log-'].map((name) => {
		const made = mkdtempSync(path.join(os.tmpdir(), name));
		cleanup.add(() => rmSync(made, { recursive: true, force: true, maxRetries: 3 }));
		return made;
	}) as [string, string];
	const data = path.join(folder, 'data');
	const setUp = path.join(logs, 'setup.log');
	mkdirSync(data);
	if (process.getuid?.() === 0) await run('chown', ['-R', 'postgres', folder], { cwd: '/' });
	const port = await freePort();
	const trust = ['-D', data, '-A', 'trust', '-U', user, '--no-sync', '-E', 'UTF8', '--locale=C'];
	if (!(await exec(initdb, trust, setUp))) {
		throw new LabError(`PostgreSQL could not set up a database:\n${lastLines(setUp)}`);
	}
	const settings = { listen_addresses: host, unix_socket_directories: folder, fsync: 'off' };
	const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
	const args = ['-D', data, '-p', String(port), ...flags];
	const server = asOwner(path.join(bin, 'postgres'), args);
	const logFile = path.join(logs, 'postgres.log');
	const postgres = startGuarded({ ...server, cwd: os.tmpdir(), env: cleanEnvironment(), logFile });
	cleanup.add(postgres.stop);
	const reach = ['-h', host, '-p', String(port), '-U', user];
	const isReady = async () => await exec(path.join(bin, 'pg_isready'), ['-q', ...reach], setUp);
	const isUp = await untilTrue(isReady, postgres.ended);
	if (isUp && (await exec(path.join(bin, 'createdb'), [...reach, 'n8n'], setUp))) {
		return environmentOf(`postgres://${user}@${host}:${port}/n8n`);
	}
	throw new LabError(`PostgreSQL did not start on port ${port}:\n${lastLines(logFile)}`);
}
