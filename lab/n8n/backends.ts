/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { Cleanup } from '../demo/cleanup';
import { LabError } from '../process/failure';
import { stateRoot } from '../process/paths';
import { freePort } from '../process/ports';
import { cleanEnvironment, findProgram, run, startGuarded } from '../process/process';
import { withProgress, type Log } from '../process/progress';

const host = '127.0.0.1';
const isRoot = process.getuid?.() === 0;

/** A server that queue mode needs, and how n8n is pointed to it. */
interface Backend {
	/** The variable that names one which runs already. */
	variable: 'REDIS_URL' | 'DATABASE_URL';
	name: string;
	protocols: string[];
	port: string;
	program: string;
	/** Debian's. */
	package: string;
	/** Variables that n8n reads for the server at an address. */
	env: (address: URL, port: string) => Record<string, string>;
	/** Starts one of our own that is gone at the end. @returns its address */
	start: (program: string, folder: string, cleanup: Cleanup) => Promise<string>;
}

const redis: Backend = {
	variable: 'REDIS_URL',
	name: 'Redis',
	protocols: ['redis:', 'rediss:'],
	port: '6379',
	program: 'redis-server',
	package: 'redis-server',
	env: ({ hostname, username, password, pathname, protocol }, port) => ({
		QUEUE_BULL_REDIS_HOST: hostname,
		QUEUE_BULL_REDIS_PORT: port,
		QUEUE_BULL_REDIS_USERNAME: decodeURIComponent(username),
		QUEUE_BULL_REDIS_PASSWORD: decodeURIComponent(password),
		QUEUE_BULL_REDIS_DB: pathname.slice(1) || '0',
		QUEUE_BULL_REDIS_TLS: String(protocol === 'rediss:'),
	}),
	async start(program, folder, cleanup) {
		const port = await freePort();
		const args = ['--port', String(port), '--bind', host, '--save', '', '--dir', folder];
		await serve('Redis', [program, args], port, folder, cleanup);
		return `redis://${host}:${port}/0`;
	},
};

const postgres: Backend = {
	variable: 'DATABASE_URL',
	name: 'PostgreSQL',
	protocols: ['postgres:', 'postgresql:'],
	port: '5432',
	program: 'initdb',
	package: 'postgresql',
	env: ({ hostname, username, password, pathname }, port) => ({
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: hostname,
		DB_POSTGRESDB_PORT: port,
		DB_POSTGRESDB_USER: decodeURIComponent(username),
		DB_POSTGRESDB_PASSWORD: decodeURIComponent(password),
		DB_POSTGRESDB_DATABASE: pathname.slice(1) || 'postgres',
	}),
	async start(initdb, folder, cleanup) {
		// It refuses to run as root, so then it runs as the user that Debian's package makes.
		const as = (command: string, args: string[]): [string, string[]] =>
			isRoot ? ['runuser', ['-u', 'postgres', '--', command, ...args]] : [command, args];
		if (isRoot) await run('chown', ['postgres', folder], { cwd: '/' });
		const data = path.join(folder, 'data');
		const set = ['-D', data, '-A', 'trust', '-U', 'n8n', '--no-sync', '-E', 'UTF8', '--locale=C'];
		const made = await run(...as(initdb, set), { cwd: os.tmpdir() });
		if (made.code !== 0) {
			throw new LabError(`PostgreSQL could not set up a database:\n${made.output}`);
		}
		// Often a link from a folder that holds none of the others.
		const bin = path.dirname(realpathSync(initdb));
		const port = await freePort();
		const settings = { listen_addresses: host, unix_socket_directories: folder, fsync: 'off' };
		const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
		const server = as(path.join(bin, 'postgres'), ['-D', data, '-p', String(port), ...flags]);
		const reach = ['-h', host, '-p', String(port), '-U', 'n8n', 'n8n'];
		const create = as(path.join(bin, 'createdb'), reach);
		// It listens before it takes connections.
		const isMade = async () => (await run(...create, { cwd: os.tmpdir() })).code === 0;
		await serve('PostgreSQL', server, port, folder, cleanup, isMade);
		return `postgres://n8n@${host}:${port}/n8n`;
	},
};

/** Runs a server until the cleanup, once it listens. @throws LabError when it does not */
async function serve(
	name: string,
	[command, args]: [string, string[]],
	port: number,
	folder: string,
	cleanup: Cleanup,
	isUsable = async () => true,
): Promise<void> {
	// Beside the folder, which may belong to another user.
	const logFile = `${folder}.log`;
	cleanup.add(() => rmSync(logFile, { force: true }));
	const isReady = async () => (await listens(host, port)) && (await isUsable());
	const env = cleanEnvironment();
	const server = await startGuarded({ name, command, args, cwd: '/', env, logFile, isReady });
	cleanup.add(server.stop);
}

async function listens(hostname: string, port: number): Promise<boolean> {
	// Brackets belong to the address of an IPv6 host, not to the host.
	const socket = connect({ host: hostname.replace(/^\[(.*)\]$/, '$1'), port });
	return await once(socket, 'connect', { signal: AbortSignal.timeout(5_000) })
		.then(() => true)
		.catch(() => false)
		.finally(() => socket.destroy());
}

/**
 * Looks whether a server is there that a variable names: n8n itself would try for half a minute and
 * then fail with a stack.
 *
 * @throws LabError with one line, without the password, where the value is not the address of one or
 * nothing listens there
 */
async function given({ variable, name, protocols, port: usual, env }: Backend, value: string) {
	const address = URL.canParse(value) ? new URL(value) : undefined;
	if (!address?.hostname || !protocols.includes(address.protocol)) {
		const begins = `it begins with ${protocols.join('// or ')}//`;
		throw new LabError(`${variable} is not the address of a ${name} server: ${begins}`);
	}
	const port = address.port || usual;
	if (await listens(address.hostname, Number(port))) return env(address, port);
	const at = `${address.hostname}:${port}`;
	throw new LabError(`No ${name} server answers at ${at}, which ${variable} names`);
}

/** Where Debian keeps the servers of PostgreSQL, which are not on the PATH; the newest first. */
function postgresFolders(): string[] {
	const root = '/usr/lib/postgresql';
	const versions = existsSync(root) ? readdirSync(root) : [];
	return versions
		.sort((a, b) => Number(b) - Number(a))
		.map((version) => path.join(root, version, 'bin'));
}

/**
 * Finds a program, or installs its Debian package where that can be done without asking: as root
 * with apt-get.
 *
 * @throws LabError with the command to type otherwise
 */
async function requireProgram({ program, package: wanted }: Backend, log: Log): Promise<string> {
	const find = () => findProgram([program], postgresFolders());
	if (!find() && isRoot && findProgram(['apt-get'])) {
		await withProgress(log, `Installing ${wanted}`, async () => {
			const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
			const options = { cwd: '/', env, logFile: path.join(stateRoot, 'apt.log') };
			// A search before the package lists exist finds nothing.
			await run('apt-get', ['update', '-qq'], options);
			const install = ['install', '-y', '-qq', '--no-install-recommends', wanted];
			await run('apt-get', install, options);
		});
	}
	const found = find();
	if (found) return found;
	throw new LabError(
		`Queue mode needs ${program}: install it (Debian, Ubuntu: sudo apt-get install ${wanted}), ` +
			'or set REDIS_URL and DATABASE_URL to servers that run already',
	);
}

/**
 * The Redis and the PostgreSQL that REDIS_URL and DATABASE_URL name, or some of our own until the
 * cleanup.
 *
 * @returns the variables by which n8n finds them
 */
export async function startBackends(
	cleanup: Cleanup,
	log: Log,
	environment: NodeJS.ProcessEnv = process.env,
): Promise<Record<string, string>> {
	const { REDIS_URL, DATABASE_URL, N8N_ENCRYPTION_KEY } = environment;
	const what = REDIS_URL && DATABASE_URL ? 'Looking for' : 'Starting';
	return await withProgress(log, `${what} Redis and PostgreSQL`, async () => {
		// A database that is kept may have credentials of an earlier n8n.
		const key = DATABASE_URL && N8N_ENCRYPTION_KEY && { N8N_ENCRYPTION_KEY };
		const env: Record<string, string> = { ...(key || undefined) };
		for (const backend of [redis, postgres]) {
			const value = environment[backend.variable];
			if (value) {
				Object.assign(env, await given(backend, value));
				continue;
			}
			const program = await requireProgram(backend, log);
			const folder = mkdtempSync(path.join(os.tmpdir(), `mediagen-${backend.package}-`));
			cleanup.add(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
			const address = new URL(await backend.start(program, folder, cleanup));
			Object.assign(env, backend.env(address, address.port));
		}
		return env;
	});
}
