/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { request } from 'http';

import {
	anImage,
	harnessForEach,
	startHarness,
	type Answer,
	type Harness,
} from './support/harness';

const bytes = Buffer.from('not quite a picture');
const description = { filename: 'fox 1.png', content_type: 'image/png', size: bytes.length };

let service: Harness;
harnessForEach((started) => (service = started));

const put = async (url: string, headers: Record<string, string>, body: Buffer = bytes) =>
	(await fetch(url, { method: 'PUT', headers, body: new Uint8Array(body) })).status;

const created = async (more: object = {}) =>
	(await service.post('/files', { ...description, ...more })).body;

test('a file goes up with exactly the given headers and can then be read', async () => {
	const { upload_url, upload_headers, url } = await created();
	expect((await fetch(url)).status).toBe(404);
	expect(await put(upload_url, upload_headers)).toBe(200);
	const answer = await fetch(url);
	expect(answer.headers.get('content-type')).toBe('image/png');
	expect(answer.headers.get('content-length')).toBe(String(bytes.length));
	expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes);
});

test('an upload address works once', async () => {
	const { upload_url, upload_headers } = await created();
	expect(await put(upload_url, upload_headers)).toBe(200);
	expect(await put(upload_url, upload_headers)).toBe(403);
});

test('an upload is refused with an Authorization header, without a header, or of the wrong size', async () => {
	const { upload_url, upload_headers } = await created();
	const authorization = `Bearer ${service.keys.all}`;
	expect(await put(upload_url, { ...upload_headers, authorization })).toBe(400);
	expect(await put(upload_url, { 'content-type': 'image/png' })).toBe(400);
	expect(await put(upload_url, { ...upload_headers, 'content-type': 'image/jpeg' })).toBe(400);
	expect(await put(upload_url, upload_headers, bytes.subarray(1))).toBe(400);
	expect(await put(upload_url, upload_headers, Buffer.concat([bytes, bytes]))).toBe(400);
	expect(await put(upload_url, upload_headers)).toBe(200);
});

test('an upload that does not say its length is refused, and can be sent again', async () => {
	const { upload_url, upload_headers } = await created();
	const body = new Blob([bytes]).stream();
	const unsized = { method: 'PUT', headers: upload_headers, body, duplex: 'half' };
	const answer = await fetch(upload_url, unsized as RequestInit);
	expect(answer.status).toBe(400);
	expect(((await answer.json()) as Answer['body']).error.message).toContain('Content-Length');
	expect(await put(upload_url, upload_headers)).toBe(200);
});

test('an upload that was cut off can be sent again', async () => {
	const { upload_url, upload_headers, url } = await created();
	const cut = request(upload_url, {
		method: 'PUT',
		headers: { ...upload_headers, 'content-length': bytes.length },
	});
	cut.on('error', () => {});
	await new Promise<void>((resolve) => cut.write(bytes.subarray(0, 5), () => resolve()));
	cut.destroy();
	await service.until(
		async () => await service.admin('GET', '/requests'),
		({ data }) => data.at(-1).operation === 'upload',
	);
	expect(await put(upload_url, upload_headers)).toBe(200);
	expect(await (await fetch(url)).text()).toBe(bytes.toString());
});

test('a changed, unsigned or expired upload address is 403', async () => {
	const { upload_url, upload_headers } = await created();
	expect(await put(upload_url.split('?')[0], upload_headers)).toBe(403);
	expect(await put(upload_url.replace(/expires=\d/, 'expires=9'), upload_headers)).toBe(403);
	service.pass(3601);
	expect(await put(upload_url, upload_headers)).toBe(403);
});

test('an upload is taken as an input when it is there and of this workspace', async () => {
	const { upload_url, upload_headers, url } = await created();
	const body = anImage({ input: { reference_images: [url] } });
	expect((await service.post('/generations', body)).status).toBe(400);
	await put(upload_url, upload_headers);
	expect((await service.post('/generations', body)).status).toBe(202);
	expect((await service.post('/generations', body, { key: service.keys.other })).status).toBe(400);
});

test('an output is taken as an input of the next generation', async () => {
	const { body: first } = await service.post('/generations', anImage());
	service.pass(60);
	const { body } = await service.get(`/generations/${first.id}`);
	const next = anImage({ input: { image_refs: [body.outputs[0].url] } });
	expect((await service.post('/generations', next)).status).toBe(202);
});

test('no address leads out of what is served', async () => {
	const { upload_url, upload_headers, url } = await created();
	await put(upload_url, upload_headers);
	const { origin } = new URL(url);
	const id = url.split('/')[4];
	for (const path of [
		`/files/${id}/..%2f..%2f..%2fetc%2fpasswd`,
		`/files/${id}/other.png`,
		'/files/..%2f..%2fetc/passwd',
		'/outputs/..%2f..%2fetc%2fpasswd',
		'/outputs/%00',
		'/page/..%2fserver.ts',
		'/page/%2e%2e%2fserver.ts',
	]) {
		const { status, text } = await fetch(origin + path).then(async (answer) => ({
			status: answer.status,
			text: await answer.text(),
		}));
		expect([path, status >= 400 && status < 500]).toEqual([path, true]);
		expect(JSON.parse(text).error.message).toEqual(expect.any(String));
	}
});

test('behind a front, addresses point to the front, and both are the sandbox’s own', async () => {
	const front = await startHarness({ publicUrl: 'https://media.example.com/v1' });
	const { url, upload_url, upload_headers } = (await front.post('/files', description)).body;
	expect(url).toMatch(/^https:\/\/media\.example\.com\/files\//);
	const local = front.sandbox.baseUrl.replace('/v1', '');
	const inside = (address: string) => address.replace('https://media.example.com', local);
	expect(await put(inside(upload_url), upload_headers)).toBe(200);
	for (const address of [url, inside(url)]) {
		const body = anImage({ input: { image_refs: [address] } });
		expect((await front.post('/generations', body)).status).toBe(202);
	}
	const unknown = anImage({ input: { image_refs: ['https://media.example.com/files/x/y'] } });
	expect((await front.post('/generations', unknown)).status).toBe(400);
	await front.close();
});

describe('reading outputs', () => {
	const output = async (delivery: string) => {
		const { body } = await service.post('/generations', anImage({ delivery }));
		service.pass(60);
		return async () => (await service.get(`/generations/${body.id}`)).body.outputs[0];
	};

	test('a public link stays good and carries no expiry', async () => {
		const { url, expires_at } = await (await output('public_url'))();
		expect(expires_at).toBeUndefined();
		service.pass(86_400);
		const answer = await fetch(url);
		expect(answer.status).toBe(200);
		expect(answer.headers.get('content-type')).toBe('image/png');
		expect(await answer.text()).toContain('a fox in the snow');
	});

	test('a signed link ends at expires_at, and reading the generation again gives a fresh one', async () => {
		const read = await output('signed_url');
		const { url, expires_at } = await read();
		expect(Date.parse(expires_at)).toBe(service.timers.now() + 15 * 60_000);
		service.pass(15 * 60);
		expect((await fetch(url)).status).toBe(200);
		service.pass(1);
		expect((await fetch(url)).status).toBe(403);
		expect((await fetch((await read()).url)).status).toBe(200);
	});

	test('a signed output is not to be had without its signature', async () => {
		const { url } = await (await output('signed_url'))();
		expect((await fetch(url.split('?')[0])).status).toBe(403);
		expect(
			(await fetch(url.replace(/.$/, (end: string) => (end === '0' ? '1' : '0')))).status,
		).toBe(403);
	});

	test('a range is served as such', async () => {
		const { url } = await (await output('public_url'))();
		const answer = await fetch(url, { headers: { range: 'bytes=2-4' } });
		expect(answer.status).toBe(206);
		expect(await answer.text()).toBe('age');
	});

	test('an unknown output is 404', async () => {
		const { url } = await (await output('public_url'))();
		expect((await fetch(url.replace('.png', '.gif'))).status).toBe(404);
		expect((await fetch(url.replace(/out_./, 'out_z'))).status).toBe(404);
	});
});

test('of five uploads at once to one address one wins, and the others are refused', async () => {
	const { upload_url, upload_headers, url } = await created();
	const bodies = Array.from({ length: 5 }, (_, index) => Buffer.alloc(bytes.length, `${index}`));
	const statuses = await Promise.all(
		bodies.map(async (body) => await put(upload_url, upload_headers, body)),
	);
	expect([...statuses].sort()).toEqual([200, 403, 403, 403, 403]);
	const kept = Buffer.from(await (await fetch(url)).arrayBuffer());
	expect(kept).toEqual(bodies[statuses.indexOf(200)]);
});

describe('a browser', () => {
	const served = async (content_type: string) => {
		const { upload_url, upload_headers, url } = await created({ filename: 'a', content_type });
		await put(upload_url, upload_headers);
		const { headers } = await fetch(url);
		return ['content-type', 'content-disposition', 'x-content-type-options'].map((name) =>
			headers.get(name),
		);
	};

	test.each([
		'text/html',
		'TEXT/HTML; charset=utf-8',
		'application/xhtml+xml',
		'image/svg+xml',
		'image/x+xml',
		'text/xml',
		'application/pdf',
		'multipart/x-mixed-replace',
		'text/javascript',
	])('never takes an upload of %s for a page', async (type) => {
		expect(await served(type)).toEqual(['application/octet-stream', 'attachment', 'nosniff']);
	});

	test.each(['image/png', 'video/mp4', 'audio/mpeg'])('shows one of %s as such', async (type) => {
		expect(await served(type)).toEqual([type, null, 'nosniff']);
	});
});
