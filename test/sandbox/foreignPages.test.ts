/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { once } from 'events';
import { request, type IncomingMessage } from 'http';

import { createSandbox } from '../../sandbox/server';
import { anImage, harnessForEach, type Harness } from './support/harness';

let service: Harness;
let port: number;

harnessForEach(
	(started) => {
		service = started;
		port = Number(new URL(service.sandbox.adminUrl).port);
	},
	{ publicUrl: 'https://media.example.com/v1' },
);

/** A request with exactly these headers: fetch would set Host itself. */
async function call(
	method: string,
	path: string,
	headers: Record<string, string>,
): Promise<{ status: number; body: string }> {
	return await new Promise((resolve, reject) => {
		const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent: false });
		outgoing.on('response', (response) => {
			let body = '';
			response.on('data', (chunk: Buffer) => (body += chunk.toString()));
			response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
		});
		outgoing.on('error', reject);
		outgoing.end();
	});
}

/** Whether the generation that was made before is still there: a reset takes it away. */
async function survives(attempt: () => Promise<unknown>): Promise<boolean> {
	await service.post('/generations', anImage());
	await attempt();
	return (await service.get('/generations')).body.data.length > 0;
}

test.each([
	['a page on the web', 'https://evil.example'],
	['a page of another program on this machine', 'http://127.0.0.1:3000'],
	['a name that looks alike', 'http://127.0.0.1.evil.example'],
	['a page from a file or in a sandboxed frame', 'null'],
	['something that is not an address', '://'],
	['an empty one', ''],
])('%s cannot reset the sandbox', async (_name, origin) => {
	const kept = await survives(async () => {
		const { status, body } = await call('POST', '/sandbox/reset', {
			host: `127.0.0.1:${port}`,
			origin,
		});
		expect([status, JSON.parse(body)]).toEqual([
			403,
			{ error: { type: 'permission', message: expect.any(String) } },
		]);
	});
	expect(kept).toBe(true);
});

test.each(['cross-site', 'same-site'])(
	'a request that the browser calls %s is refused though it names no origin',
	async (site) => {
		const headers = { host: `127.0.0.1:${port}`, 'sec-fetch-site': site };
		for (const path of ['keys', 'overview', 'forms', 'outputs/out_1.png']) {
			const { status, body } = await call('GET', `/sandbox/${path}`, headers);
			expect([path, status]).toEqual([path, 403]);
			expect(body).not.toContain(service.keys.all);
		}
	},
);

test('a page whose name was pointed to this machine learns and changes nothing', async () => {
	const kept = await survives(async () => {
		for (const host of [
			`evil.example:${port}`,
			'evil.example',
			`127.0.0.1.evil.example:${port}`,
			'evil.example:80@127.0.0.1',
			'127.0.0.1/evil.example',
		]) {
			const headers = { host, origin: `http://${host}` };
			const bearer = { ...headers, authorization: `Bearer ${service.keys.all}` };
			const answers = [
				await call('POST', '/sandbox/reset', headers),
				await call('GET', '/sandbox/keys', headers),
				await call('GET', '/sandbox/overview', headers),
				await call('GET', '/', headers),
				await call('GET', '/page/page.js', headers),
				await call('GET', '/openapi.json', headers),
				await call('GET', '/v1/credits', bearer),
			];
			expect([host, answers.map(({ status }) => status)]).toEqual([host, Array(7).fill(421)]);
			expect(answers.map(({ body }) => body).join()).not.toContain(service.keys.all);
		}
	});
	expect(kept).toBe(true);
});

test.each([
	['the page itself', (host: string) => ({ host, origin: `http://${host}` })],
	['by another name of this machine', () => ({ host: 'localhost', origin: 'http://localhost' })],
	['by IPv6', () => ({ host: '[::1]:4010', origin: 'http://[::1]:4010' })],
	['through a tunnel with another port', () => ({ host: 'LOCALHOST:8080' })],
	['a program that is not a browser', (host: string) => ({ host })],
	[
		'the page behind its front',
		() => ({ host: 'media.example.com', origin: 'https://media.example.com' }),
	],
	[
		'the page behind a front that calls us by our own name',
		(host: string) => ({ host, origin: 'https://media.example.com' }),
	],
])('%s can reset the sandbox', async (_name, headersFor) => {
	const kept = await survives(async () => {
		const { status } = await call('POST', '/sandbox/reset', headersFor(`127.0.0.1:${port}`));
		expect(status).toBe(200);
	});
	expect(kept).toBe(false);
});

describe('where others can reach it', () => {
	/** Another address of this machine, as a computer in the network would use one. */
	const ADDRESS = '127.0.0.2';

	test.each([
		['by the address that it was reached at', {}, ADDRESS, 200],
		['by its public name', { publicUrl: 'http://media.localhost:4010' }, 'media.localhost', 200],
		['by a name that was pointed to it', {}, 'evil.example', 421],
		['by an address that is not its own', {}, '127.0.0.3', 421],
	])('%s: %j', async (_name, more, host, status) => {
		const open = await createSandbox({ host: '0.0.0.0', ...more });
		expect(open.openTo).toMatch(/^0\.0\.0\.0:\d+$/);
		const outgoing = request({
			host: ADDRESS,
			port: new URL(open.adminUrl).port,
			path: '/sandbox/keys',
			headers: { host },
			agent: false,
		});
		const [answer] = (await once(outgoing.end(), 'response')) as [IncomingMessage];
		answer.resume();
		expect(answer.statusCode).toBe(status);
		await open.close();
	});

	test('only this machine can, unless a host is given', async () => {
		const closed = await createSandbox();
		expect(closed.openTo).toBeUndefined();
		const { port } = new URL(closed.adminUrl);
		await expect(fetch(`http://${ADDRESS}:${port}/`)).rejects.toThrow();
		await closed.close();
	});
});
