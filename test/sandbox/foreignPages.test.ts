/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { once } from 'events';
import { request, type IncomingMessage } from 'http';
import { text } from 'stream/consumers';

import { createSandbox } from '../../sandbox/server';
import { startHarness, type Harness } from './support/harness';

/** A request with exactly these headers: fetch would set Host itself. */
async function call(
	url: string,
	headers: Record<string, string>,
	{ method = 'GET', host = '127.0.0.1' } = {},
): Promise<{ status: number; body: string }> {
	const { port, pathname: path } = new URL(url);
	const outgoing = request({ host, port, method, path, headers, agent: false }).end();
	const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
	return { status: answer.statusCode ?? 0, body: await text(answer) };
}

let service: Harness;
beforeAll(async () => (service = await startHarness({ publicUrl: 'https://media.example.com' })));
afterAll(async () => await service.close());

/** Our own host, with the port, and who says what in `Origin` and `Sec-Fetch-Site`. */
const OWN = 'OWN';
const RESETS: Array<
	[who: string, host: string, origin: string | undefined, status: number, site?: string]
> = [
	['a page of another program on this machine', OWN, 'http://127.0.0.1:3000', 403],
	['a page from a file or in a sandboxed frame', OWN, 'null', 403],
	['an image on a page of the web', OWN, undefined, 403, 'cross-site'],
	['a frame of another port', OWN, undefined, 403, 'same-site'],
	['a page whose name was pointed here', 'evil.example', 'http://evil.example', 421],
	['a host with a user', 'evil.example:80@127.0.0.1', undefined, 421],
	['a program that is not a browser', OWN, undefined, 200],
	['by another name of this machine', 'localhost', 'http://localhost', 200],
	['through a tunnel with another port', 'LOCALHOST:8080', undefined, 200],
	['the page behind its front', 'media.example.com', 'https://media.example.com', 200],
];

test.each(RESETS)('%s, at %s, from %s: a reset is answered %i', async (...row) => {
	const [, host, origin, status, site] = row;
	await service.admin('PATCH', '/settings', { voices: 3 });
	const headers = {
		host: host.replace(OWN, new URL(service.sandbox.adminUrl).host),
		...(origin !== undefined && { origin }),
		...(site && { 'sec-fetch-site': site }),
	};
	const answer = await call(`${service.sandbox.adminUrl}/reset`, headers, { method: 'POST' });
	expect(answer.status).toBe(status);
	const { voices } = (await service.admin('GET', '/settings')).body;
	expect(voices).toBe(status === 200 ? 12 : 3);
});

/** Another address of this machine, as a computer in the network would use one. */
const ADDRESS = '127.0.0.2';

test.each([
	['by the address that it was reached at', ADDRESS, 200],
	['by its public name', 'media.localhost', 200],
	['by an address that is not its own', '127.0.0.3', 421],
])('where others can reach it, it answers %s (%s): %i', async (_name, host, status) => {
	const open = await createSandbox({ host: '0.0.0.0', publicUrl: 'http://media.localhost:4010' });
	expect(open.openTo).toMatch(/^0\.0\.0\.0:\d+$/);
	const answer = await call(`${open.adminUrl}/keys`, { host }, { host: ADDRESS });
	await open.close();
	expect(answer.status).toBe(status);
});

test('only this machine can reach it, unless a host is given', async () => {
	expect(service.sandbox.openTo).toBeUndefined();
	const { port } = new URL(service.sandbox.adminUrl);
	await expect(fetch(`http://${ADDRESS}:${port}/`)).rejects.toThrow();
});
