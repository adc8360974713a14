/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { credentialData } from '../../lab/n8n/credential';
import type { SavedCredential } from '../../lab/n8n/rest';
import { runNode } from '../../lab/n8n/runNode';
import { rest } from './support/harness';
import { startScriptedService, type ScriptedService } from '../model/scriptedService';

const canary = `canary_${randomUUID()}`;

let service: ScriptedService;
let foreign: Server;
let received = '';

/** A server of somebody else, which keeps every byte that it gets. */
beforeAll(async () => {
	service = await startScriptedService();
	service.on('GET /v1/credits', (_, response) => void response.json({ balance: 7 }));
	foreign = createServer((socket) => {
		socket.on('data', (bytes) => {
			received += bytes.toString('latin1');
			socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}');
		});
		socket.on('error', () => {});
	});
	foreign.listen(0, '127.0.0.1');
	await once(foreign, 'listening');
});

afterAll(async () => {
	foreign.close();
	await service.close();
});

beforeEach(() => {
	received = '';
	service.requests.length = 0;
});

const saved = async (more: object = {}): Promise<SavedCredential> => {
	const data = credentialData({ apiKey: canary, baseUrl: service.baseUrl });
	return await rest.credentials.create('mediaGenApi', 'HTTP Request', { ...data, ...more });
};

/** n8n's HTTP Request node with our credential. */
const request = async (url: string, credential: SavedCredential) =>
	await runNode(rest, {
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		credential,
		parameters: {
			url,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'mediaGenApi',
			options: {},
		},
	});

const foreignUrl = () => `http://127.0.0.1:${(foreign.address() as AddressInfo).port}/v1/credits`;

it('a credential as it is saved by hand is of no use to the HTTP Request node', async () => {
	const run = await request(foreignUrl(), await saved());
	expect(run.status).toBe('error');
	expect(run.error?.message).toMatch(/prevent use within an HTTP Request/);
	expect(received).toBe('');
});

it.each([
	['all domains', { allowedHttpRequestDomains: 'all' }],
	['this domain', { allowedHttpRequestDomains: 'domains', allowedDomains: '127.0.0.1' }],
])('allowed for %s, it takes the key to the base URL and not a byte elsewhere', async (_, more) => {
	const credential = await saved(more);
	const home = await request(`${service.baseUrl}/credits`, credential);
	expect(home.items[0]?.json).toEqual({ balance: 7 });
	expect(service.requests[0]?.headers.authorization).toBe(`Bearer ${canary}`);

	const away = await request(foreignUrl(), credential);
	expect(away.status).toBe('error');
	expect(JSON.stringify(away.error)).toContain('sent to the base URL of its credential only');
	expect(received).toBe('');
	expect(JSON.stringify(away.execution)).not.toContain(canary);
});

it('the foreign server would have seen what is sent to it', async () => {
	const run = await runNode(rest, {
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: { url: foreignUrl(), options: {} },
	});
	expect(run.status).toBe('success');
	expect(received).toMatch(/^GET \/v1\/credits/);
});
