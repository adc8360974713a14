/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Cleanup } from '../process/cleanup';
import { LabError } from '../process/failure';
import { stateRoot } from '../process/paths';
import { freePort } from '../process/ports';
import { cleanEnvironment, findProgram, run, startGuarded } from '../process/process';
import { withProgress, type Log } from '../process/progress';

const host = '127.0.0.1';
const isRoot = process.getuid?.() === 0;

type Command = [command: string, args: string[]];

/** A server that queue mode needs, and how n8n is pointed to it. */
interface Backend {
	/** The variable that names one which runs already. */
	variable: 'REDIS_URL' | 'DATABASE_URL';
	/** Debian's package. */
	package: string;
	/** Finds the program that starts one of our own. */
	find: () => string | undefined;
	/** Variables that n8n reads for the server at an address. */
	env: (address: URL) => Record<string, string>;
	/** How one of our own is run in an empty folder, and what succeeds once it can be used. */
	prepare: (
		program: string,
		folder: string,
		port: string,
	) => Promise<{ address: string; server: Command; isReady: Command }>;
}

const redis: Backend = {
	variable: 'REDIS_URL',
	package: 'redis-server',
	find: () => findProgram('redis-server'),
	env: ({ hostname, port, username, password, pathname, protocol }) => ({
		QUEUE_BULL_REDIS_HOST: hostname,
		QUEUE_BULL_REDIS_PORT: port || '6379',
		QUEUE_BULL_REDIS_USERNAME: decodeURIComponent(username),
		QUEUE_BULL_REDIS_PASSWORD: decodeURIComponent(password),
		QUEUE_BULL_REDIS_DB: pathname.slice(1) || '0',
		QUEUE_BULL_REDIS_TLS: String(protocol === 'rediss:'),
	}),
	prepare: async (program, folder, port) => ({
		address: `redis://${host}:${port}/0`,
		server: [program, ['--port', port, '--bind', host, '--save', '', '--dir', folder]],
		isReady: ['redis-cli', ['-h', host, '-p', port, 'ping']],
	}),
};

/** Debian keeps the servers of PostgreSQL off the PATH, in a folder for each version. */
const debianFolder = '/usr/lib/postgresql';

const postgres: Backend = {
	variable: 'DATABASE_URL',
	package: 'postgresql',
	find() {
		const versions = existsSync(debianFolder) ? readdirSync(debianFolder).reverse() : [];
		const debians = versions.map((version) => path.join(debianFolder, version, 'bin', 'initdb'));
		return findProgram('initdb', ...debians);
	},
	env: ({ hostname, port, username, password, pathname }) => ({
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: hostname,
		DB_POSTGRESDB_PORT: port || '5432',
		DB_POSTGRESDB_USER: decodeURIComponent(username),
		DB_POSTGRESDB_PASSWORD: decodeURIComponent(password),
		DB_POSTGRESDB_DATABASE: pathname.slice(1) || 'postgres',
	}),
	async prepare(initdb, folder, port) {
		// It refuses to run as root, so then it runs as the user that Debian's package makes.
		const as = (command: string, args: string[]): Command =>
			isRoot ? ['runuser', ['-u', 'postgres', '--', command, ...args]] : [command, args];
		if (isRoot) await run('chown', ['postgres', folder], { cwd: '/' });
		const data = path.join(folder, 'data');
		const set = ['-D', data, '-A', 'trust', '-U', 'n8n', '--no-sync', '-E', 'UTF8', '--locale=C'];
		const { code, output } = await run(...as(initdb, set), { cwd: os.tmpdir() });
		if (code !== 0) throw new LabError(`PostgreSQL could not set up a database:\n${output}`);
		// Often a link from a folder that holds none of the others.
		const bin = path.dirname(realpathSync(initdb));
		const settings = { listen_addresses: host, unix_socket_directories: folder, fsync: 'off' };
		const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
		const reach = ['-h', host, '-p', port, '-U', 'n8n', 'n8n'];
		return {
			address: `postgres://n8n@${host}:${port}/n8n`,
			server: as(path.join(bin, 'postgres'), ['-D', data, '-p', port, ...flags]),
			isReady: as(path.join(bin, 'createdb'), reach),
		};
	},
};

/**
 * Finds a program, or installs its Debian package where that can be done without asking: as root
 * with apt-get.
 *
 * @throws LabError with the command to type otherwise
 */
async function requireProgram({ find, package: wanted }: Backend, log: Log): Promise<string> {
	if (!find() && isRoot && findProgram('apt-get')) {
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
		`Queue mode needs ${wanted}: install it (Debian, Ubuntu: sudo apt-get install ${wanted}), ` +
			'or set REDIS_URL and DATABASE_URL to servers that run already',
	);
}

/** Starts a server of our own that is gone after the cleanup. @returns its address */
async function startOwn(backend: Backend, cleanup: Cleanup, log: Log): Promise<string> {
	const program = await requireProgram(backend, log);
	const folder = mkdtempSync(path.join(os.tmpdir(), `mediagen-${backend.package}-`));
	// Beside the folder, which may belong to another user.
	const logFile = `${folder}.log`;
	const gone = { recursive: true, force: true, maxRetries: 3 };
	cleanup.add(() => [folder, logFile].forEach((each) => rmSync(each, gone)));
	const port = String(await freePort());
	const { address, server, isReady } = await backend.prepare(program, folder, port);
	const [command, args] = server;
	const { stop } = await startGuarded({
		name: backend.package,
		command,
		args,
		cwd: '/',
		env: cleanEnvironment(),
		logFile,
		isReady: async () => (await run(...isReady, { cwd: os.tmpdir() })).code === 0,
	});
	cleanup.add(stop);
	return address;
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
	const { DATABASE_URL, N8N_ENCRYPTION_KEY: key } = environment;
	// A database that is kept may have credentials of an earlier n8n.
	const env: Record<string, string> = DATABASE_URL && key ? { N8N_ENCRYPTION_KEY: key } : {};
	await withProgress(log, 'Starting Redis and PostgreSQL', async () => {
		for (const backend of [redis, postgres]) {
			const given = environment[backend.variable];
			if (given && !URL.canParse(given)) throw new LabError(`${backend.variable} is not a URL`);
			Object.assign(env, backend.env(new URL(given ?? (await startOwn(backend, cleanup, log)))));
		}
	});
	return env;
}
