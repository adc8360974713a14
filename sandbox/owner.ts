/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- not published */
import { randomBytes } from 'crypto';
import { once } from 'events';
import { existsSync, mkdirSync, realpathSync } from 'fs';
import { mkdtemp, rm, symlink } from 'fs/promises';
import { open, type RootDatabase } from 'lmdb';
import { connect, createServer, type Server } from 'net';
import { tmpdir } from 'os';
import { dirname, join } from 'path';

/** A directory that no other sandbox uses. */
export interface Owned {
	/** Where it is, without links. */
	directory: string;
	release(): Promise<void>;
}

class InUseError extends Error {}

/**
 * Makes this the one sandbox that uses a directory. Each listens at a socket with a name that was never
 * there before; that of the owner is recorded in the directory. The system closes a socket with its
 * process, however that ends, so a record whose socket nobody answers is that of nobody. Who finds it
 * so puts a name of its own in its place, in one transaction, and only if it is still the same record.
 *
 * @throws Error in plain words when another one has it, or when it cannot be used
 */
export async function takeDirectory(given: string): Promise<Owned> {
	try {
		makeDirectory(given);
		return await own(realpathSync(given));
	} catch (error) {
		if (error instanceof InUseError) throw error;
		const { message } = error as Error;
		throw new Error(
			`The directory ${given} cannot be used, choose another with --data: ${message}`,
		);
	}
}

async function own(directory: string): Promise<Owned> {
	const mine = `owner-${randomBytes(8).toString('hex')}.sock`;
	const server = await atSocket(directory, mine, listenAt);
	const records = open<string, string>({ path: join(directory, 'owner.lmdb'), encoding: 'json' });
	const release = async () => {
		await records.close();
		await new Promise<void>((resolve) => server.close(() => resolve()));
		await rm(join(directory, mine), { force: true });
	};
	try {
		const former = await claim(directory, records, mine);
		if (former !== undefined) await rm(join(directory, former), { force: true });
	} catch (error) {
		await release();
		throw error;
	}
	return { directory, release };
}

/** Records the name of the owner's socket; returns the one that was there before, of nobody. */
async function claim(
	directory: string,
	records: RootDatabase<string, string>,
	mine: string,
): Promise<string | undefined> {
	for (;;) {
		const former = records.transactionSync(() => records.get('owner'));
		if (former !== undefined && (await atSocket(directory, former, isAnswered))) {
			const message = `Another sandbox uses the directory ${directory}: end that one, or choose another directory with --data.`;
			throw new InUseError(message);
		}
		const isMine = records.transactionSync(() => {
			if (records.get('owner') !== former) return false;
			records.putSync('owner', mine);
			return true;
		});
		if (isMine) return former;
	}
}

/** As `mkdir -p`. That of Node never ends where a directory cannot be made, such as in /proc. */
function makeDirectory(path: string): void {
	if (existsSync(path)) return;
	makeDirectory(dirname(path));
	try {
		mkdirSync(path);
	} catch (error) {
		// Another one may have made it meanwhile.
		if (!existsSync(path)) throw error;
	}
}

/** Systems cut the path of a socket after about as many bytes. */
const LONGEST_ADDRESS = 100;

/**
 * Does something at the address of a socket in a directory: where it is too long, at that of a short link.
 */
async function atSocket<T>(
	directory: string,
	name: string,
	use: (address: string) => Promise<T>,
): Promise<T> {
	if (process.platform === 'win32') return await use(`\\\\.\\pipe\\mediagen-sandbox-${name}`);
	const address = join(directory, name);
	if (Buffer.byteLength(address) <= LONGEST_ADDRESS) return await use(address);
	const place = await mkdtemp(join(tmpdir(), 'mgs-'));
	try {
		const link = join(place, 'd');
		await symlink(directory, link);
		return await use(join(link, name));
	} finally {
		await rm(place, { recursive: true, force: true });
	}
}

async function listenAt(address: string): Promise<Server> {
	const server = createServer((socket) => socket.destroy());
	server.listen(address);
	await once(server, 'listening');
	// It ends with the sandbox, and does not keep the process alive.
	return server.unref();
}

/** What the system says where nobody listens. */
const NOBODY = ['ECONNREFUSED', 'ENOENT'];

async function isAnswered(address: string): Promise<boolean> {
	const socket = connect(address);
	try {
		await once(socket, 'connect');
		return true;
	} catch (error) {
		return !NOBODY.includes((error as NodeJS.ErrnoException).code ?? '');
	} finally {
		socket.destroy();
	}
}
