/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { checkPort, getRandomPort } from 'get-port-please';

const host = '127.0.0.1';

/** A TCP port of the loopback address that is free right now. */
export async function freePort(): Promise<number> {
	return await getRandomPort(host);
}

/** Whether a server could listen on this port of the loopback address. */
export async function isFree(port: number): Promise<boolean> {
	return (await checkPort(port, host)) === port;
}
