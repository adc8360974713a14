/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { createHash } from 'crypto';
import { once } from 'events';
import { mkdirSync, realpathSync } from 'fs';
import { rm } from 'fs/promises';
import { connect, createServer, type Server } from 'net';
import { join, relative } from 'path';

/** What lets go of a directory. */
export type Release = () => Promise<void>;

/**
 * Makes this the one sandbox that uses a directory. It listens at a socket there for as long as it
 * lives: the system ends that with the process, however the process ends, so that a kill leaves
 * nothing that has to be waited for.
 *
 * @throws Error in plain words when another one has it
 */
export async function takeDirectory(directory: string): Promise<Release> {
	mkdirSync(directory, { recursive: true });
	const address = addressIn(directory);
	const server = await listenAt(address).catch(async (error: NodeJS.ErrnoException) => {
		if (error.code !== 'EADDRINUSE') throw error;
		if (await isAnswered(address)) throw inUse(directory);
		// Of one that was killed.
		await rm(address, { force: true });
		return await listenAt(address);
	});
	return async () => {
		await new Promise<void>((resolve) => server.close(() => resolve()));
	};
}

const inUse = (directory: string) =>
	new Error(
		`Another sandbox uses the directory ${directory}: end that one, or choose another directory with --data.`,
	);

/** A socket's path may have about a hundred characters: the shorter way to the same place is taken. */
function addressIn(directory: string): string {
	if (process.platform === 'win32') {
		const name = createHash('sha256').update(realpathSync(directory)).digest('hex');
		return `\\\\.\\pipe\\mediagen-sandbox-${name}`;
	}
	const path = join(directory, 'owner.sock');
	const near = relative(process.cwd(), path);
	return near.length < path.length ? near : path;
}

async function listenAt(address: string): Promise<Server> {
	const server = createServer((socket) => socket.destroy());
	server.listen(address);
	await once(server, 'listening');
	// It ends with the sandbox, and does not keep the process alive.
	return server.unref();
}

async function isAnswered(address: string): Promise<boolean> {
	const socket = connect(address);
	try {
		await once(socket, 'connect');
		return true;
	} catch {
		return false;
	} finally {
		socket.destroy();
	}
}
