/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

const host = '127.0.0.1';

/**
 * A TCP port of the loopback address that is free right now. Below those that systems give to outgoing
 * connections, one of which could take it before a server does.
 */
export async function freePort(): Promise<number> {
	for (;;) {
		const port = randomInt(20_000, 32_000);
		if (await isFree(port)) return port;
	}
}

/** Whether a server could listen on this port of the loopback address. */
export async function isFree(port: number): Promise<boolean> {
	const server = createServer().listen(port, host);
	const isListening = await once(server, 'listening').then(
		() => true,
		() => false,
	);
	if (!isListening) return false;
	server.close();
	await once(server, 'close');
	return true;
}
