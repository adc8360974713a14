import { createSandbox } from '../../sandbox/server';
import { ask, startHarness, type Harness } from './support/harness';

let service: Harness;
beforeAll(async () => {
	service = await startHarness({ publicUrl: 'https://media.example.com' });
});
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
	const answer = await ask(`${service.sandbox.adminUrl}/reset`, { method: 'POST', headers });
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
	const url = open.adminUrl.replace('127.0.0.1', ADDRESS);
	const answer = await ask(`${url}/keys`, { headers: { host }, agent: false });
	await open.close();
	expect(answer.status).toBe(status);
});

test('only this machine can reach it, unless a host is given', async () => {
	expect(service.sandbox.openTo).toBeUndefined();
	const { port } = new URL(service.sandbox.adminUrl);
	await expect(fetch(`http://${ADDRESS}:${port}/`)).rejects.toThrow();
});
