/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { Readable } from 'node:stream';
import { startScriptedService } from '../../test/model/scriptedService';

/** Bytes of the file that is sent and received. */
export const GIB = 1024 ** 3;

export type FakeService = Awaited<ReturnType<typeof startService>>;

/** How an MP4 begins: nothing that does not is taken for one. */
export const MP4 = Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1');

function* video(): Generator<Buffer> {
	const chunk = Buffer.alloc(64 * 1024);
	yield Buffer.concat([MP4, chunk.subarray(MP4.length)]);
	for (let sent = chunk.length; sent < GIB; sent += chunk.length) yield chunk;
}

/**
 * The part of the service that transfers and reads need, without any limit: the bench measures the
 * client.
 */
export async function startService() {
	const service = await startScriptedService();
	const { origin, baseUrl } = service;
	let received = 0;
	let sent = 0;
	const head = { object: 'generation', mode: 'video', model: 'm' };
	service.on('GET /v1/generations/large', (_request, response) => {
		const outputs = [{ id: 'out', url: `${origin}/large`, media_type: 'video/mp4' }];
		response.json({ ...head, id: 'large', status: 'completed', outputs });
	});
	service.on('*', ({ path }, response) => {
		response.json({ ...head, id: path.split('/').at(-1), status: 'queued' });
	});
	service.on('POST /v1/files', (_request, response) => {
		const url = `${origin}/stored`;
		response.status(201).json({ upload_url: url, upload_headers: {}, url });
	});
	service.on('PUT /stored', (request, response) => {
		request.on('data', (chunk: Buffer) => {
			received += chunk.length;
		});
		request.on('end', () => response.status(200).end());
	});
	service.on('GET /large', (_request, response) => {
		response.set({ 'content-type': 'video/mp4', 'content-length': String(GIB) });
		response.on('finish', () => {
			sent += GIB;
		});
		Readable.from(video()).pipe(response);
	});
	return {
		/** Ends in `/v1`. */
		baseUrl,
		/** Bytes of uploads that have arrived. */
		received: () => received,
		/** Bytes of downloads that were read to their end. */
		sent: () => sent,
		stop: service.close,
	};
}
