/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { createConnection } from 'node:net';
import { LabError } from '../../process/failure';

/** Variables that name a server which runs already. */
const kinds = {
	REDIS_URL: { name: 'Redis', protocols: ['redis:', 'rediss:'], port: 6379 },
	DATABASE_URL: { name: 'PostgreSQL', protocols: ['postgres:', 'postgresql:'], port: 5432 },
} as const;

/**
 * How long it may take to answer. n8n itself would try for half a minute and then fail with a
 * stack.
 */
const PATIENCE_MS = 5_000;

/**
 * Looks whether a server is there that a variable names.
 *
 * @returns its address
 * @throws LabError with one line, without the password, where the value is not the address of one or
 * nothing listens there
 */
export async function requireServer(variable: keyof typeof kinds, value: string): Promise<string> {
	const { name, protocols, port: usual } = kinds[variable];
	const address = URL.canParse(value) ? new URL(value) : undefined;
	const { protocol = '', hostname = '' } = address ?? {};
	if (hostname === '' || !(protocols as readonly string[]).includes(protocol)) {
		throw new LabError(
			`${variable} is not the address of a ${name} server: it begins with ${protocols.join('// or ')}//`,
		);
	}
	const port = Number(address?.port || usual);
	if (await listens(hostname, port)) return value;
	throw new LabError(`No ${name} server answers at ${hostname}:${port}, which ${variable} names`);
}

async function listens(hostname: string, port: number): Promise<boolean> {
	return await new Promise((resolve) => {
		// Brackets belong to the address of an IPv6 host, not to the host.
		const host = hostname.replace(/^\[(.*)\]$/, '$1');
		const socket = createConnection({ host, port });
		const end = (isThere: boolean) => {
			socket.destroy();
			resolve(isThere);
		};
		socket.setTimeout(PATIENCE_MS, () => end(false));
		socket.once('connect', () => end(true));
		socket.once('error', () => end(false));
	});
}

/**
 * @throws LabError with one line where n8n has not started because the database is that of another
 * one, otherwise the error itself
 */
export function tellForeignDatabase(error: unknown): never {
	if (!(error instanceof LabError) || !/instance encryption key/.test(error.message)) throw error;
	throw new LabError(
		'The database that DATABASE_URL names belongs to an n8n with another encryption key: set N8N_ENCRYPTION_KEY to that one, or name an empty database',
		error.logFile,
	);
}
