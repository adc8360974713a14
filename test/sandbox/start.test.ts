/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { once } from 'events';
import http, { type IncomingMessage, type Server } from 'http';
import { mkdtemp, rm } from 'fs/promises';
import type { AddressInfo } from 'net';
import { tmpdir } from 'os';
import { join } from 'path';
import { text } from 'stream/consumers';

import { startHarness } from './support/harness';

const realCreateServer = http.createServer;

afterEach(() => jest.restoreAllMocks());

test('what is asked the moment the port is open is answered as ever', async () => {
	const data = await mkdtemp(join(tmpdir(), 'mediagen-start-'));
	let asked: Promise<IncomingMessage[]> | undefined;
	jest.spyOn(http, 'createServer').mockImplementation(((...given: []): Server => {
		const server = realCreateServer(...given);
		server.prependOnceListener('listening', () => {
			const { port } = server.address() as AddressInfo;
			asked = once(http.get({ port, path: '/v1/credits', agent: false }), 'response');
		});
		return server;
	}) as typeof http.createServer);

	const service = await startHarness({ data });
	const [answer] = (await asked) ?? [];
	expect(answer?.statusCode).toBe(401);
	expect(JSON.parse(answer ? await text(answer) : '')).toEqual({
		error: {
			type: 'authentication',
			message: 'No API key was sent.',
			request_id: expect.any(String),
		},
	});
	await service.close();
	await rm(data, { recursive: true });
});
