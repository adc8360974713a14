/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import express from 'express';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';

/** Bytes of the file that is sent and received. */
export const GIB = 1024 ** 3;

export interface FakeService {
	/** Ends in `/v1`. */
	baseUrl: string;
	/** Bytes of uploads that have arrived. */
	received: () => number;
	/** Bytes of downloads that were read to their end. */
	sent: () => number;
	stop: () => Promise<void>;
}

function* zeros(): Generator<Buffer> {
	const chunk = Buffer.alloc(64 * 1024);
	for (let sent = 0; sent < GIB; sent += chunk.length) yield chunk;
}

/** The least of the service that transfers and reads need, without any limit: what is measured is the client. */
export async function startService(): Promise<FakeService> {
	const app = express();
	let received = 0;
	let sent = 0;
	let origin = '';
	const head = { object: 'generation', mode: 'video', model: 'm' };
	app.get('/v1/generations/large', (_request, response) => {
		const outputs = [{ id: 'out', url: `${origin}/large`, media_type: 'video/mp4' }];
		response.json({ ...head, id: 'large', status: 'completed', outputs });
	});
	app.get('/v1/generations/:id', ({ params: { id } }, response) => {
		response.json({ ...head, id, status: 'queued' });
	});
	app.post('/v1/files', (_request, response) => {
		const url = `${origin}/stored`;
		response.status(201).json({ upload_url: url, upload_headers: {}, url });
	});
	app.put('/stored', (request, response) => {
		request.on('data', (chunk: Buffer) => (received += chunk.length));
		request.on('end', () => response.status(200).end());
	});
	app.get('/large', (_request, response) => {
		response.set({ 'content-type': 'video/mp4', 'content-length': String(GIB) });
		response.on('finish', () => (sent += GIB));
		Readable.from(zeros()).pipe(response);
	});
	const server = app.listen(0, '127.0.0.1');
	await new Promise((resolve) => server.once('listening', resolve));
	origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		baseUrl: `${origin}/v1`,
		received: () => received,
		sent: () => sent,
		stop: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
