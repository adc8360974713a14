/* eslint-disable @n8n/community-nodes/no-restricted-imports, no-console -- not published */
import type { AddressInfo } from 'net';
import express from 'express';

/**
 * What the sandbox is held against: a bare express route doing JSON. Prints its address when ready.
 */
const app = express();
const answer = {
	id: 'gen_0123456789abcdef01234567',
	object: 'generation',
	status: 'queued',
	mode: 'image',
	model: 'studio/image-1',
	estimated_credits: 2,
};
app.get('/v1/generations/:id', (request, response) => {
	response.json({ ...answer, id: request.params.id });
});
app.post('/v1/generations', express.json(), (request, response) => {
	const { mode, model } = request.body as Record<string, string>;
	response.status(202).json({ ...answer, mode, model });
});
const server = app.listen(0, '127.0.0.1', () => {
	const { port } = server.address() as AddressInfo;
	console.log(JSON.stringify({ baseUrl: `http://127.0.0.1:${port}/v1` }));
});
