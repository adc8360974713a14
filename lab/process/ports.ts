/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { createServer } from 'node:net';

const host = '127.0.0.1';

/** A TCP port of the loopback address that nobody listens on right now. */
export async function freePort(): Promise<number> {
	return await new Promise((resolve, reject) => {
		const probe = createServer();
		probe.once('error', reject);
		probe.listen(0, host, () => {
			const address = probe.address();
			const port = typeof address === 'object' && address ? address.port : 0;
			probe.close(() => resolve(port));
		});
	});
}

/** Whether a server could listen on this port of the loopback address. */
export async function isFree(port: number): Promise<boolean> {
	return await new Promise((resolve) => {
		const probe = createServer();
		probe.once('error', () => resolve(false));
		probe.listen(port, host, () => probe.close(() => resolve(true)));
	});
}
