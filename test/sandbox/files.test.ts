import { anImage, harnessForEach, startHarness, type Harness } from './support/harness';

const bytes = Buffer.from('not quite a picture');
const description = { filename: 'fox 1.png', content_type: 'image/png', size: bytes.length };

let service: Harness;
harnessForEach((started) => {
	service = started;
});

const put = async (url: string, headers: Record<string, string>, body: Buffer = bytes) =>
	(await fetch(url, { method: 'PUT', headers, body: new Uint8Array(body) })).status;
const statusOf = async (url: string) => (await fetch(url)).status;

const created = async (more: object = {}) =>
	(await service.post('/files', { ...description, ...more })).body;

test('a file goes up once, with exactly the given headers and size, and can then be read', async () => {
	const { upload_url, upload_headers: right, url } = await created();
	const authorization = `Bearer ${service.keys.all}`;
	expect(await put(upload_url, { ...right, authorization })).toBe(400);
	expect(await put(upload_url.replace(/expires=\d/, 'expires=9'), right)).toBe(403);
	expect(await put(upload_url, { ...right, 'content-type': 'image/jpeg' })).toBe(400);
	expect(await put(upload_url, right, bytes.subarray(1))).toBe(400);
	expect(await statusOf(url)).toBe(404);
	expect(await put(upload_url, right)).toBe(200);
	expect(await put(upload_url, right)).toBe(403);
	const answer = await fetch(url);
	expect(answer.headers.get('content-type')).toBe('image/png');
	expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes);
	const { origin, pathname } = new URL(url);
	for (const path of ['../../../etc/passwd', 'other.png'].map(encodeURIComponent))
		expect(await statusOf(origin + pathname.replace(/[^/]+$/, path))).toBe(404);
});

test('an upload that is there and an output are taken as an input, in their workspace', async () => {
	const { upload_url, upload_headers, url } = await created();
	const use = async (address: string, key?: string) => {
		const body = anImage({ input: { reference_images: [address] } });
		return await service.post('/generations', body, { key });
	};
	expect((await use(url)).status).toBe(400);
	await put(upload_url, upload_headers);
	const { id } = (await use(url)).body;
	service.pass(60);
	const [output] = (await service.get(`/generations/${id}`)).body.outputs;
	expect((await use(output.url)).status).toBe(202);
	for (const address of [url, output.url])
		expect((await use(address, service.keys.other)).status).toBe(400);
});

test('behind a front, addresses name it, and those of the front and of the inside are our own', async () => {
	const front = await startHarness({ publicUrl: 'https://media.example.com' });
	const { url, upload_url, upload_headers } = (await front.post('/files', description)).body;
	expect(url).toMatch(/^https:\/\/media\.example\.com\/files\//);
	const local = front.sandbox.baseUrl.replace('/v1', '');
	const inside = (address: string) => address.replace('https://media.example.com', local);
	expect(await put(inside(upload_url), upload_headers)).toBe(200);
	const use = async (address: string) => {
		const body = anImage({ input: { image_refs: [address] } });
		return (await front.post('/generations', body)).status;
	};
	expect([await use(url), await use(inside(url))]).toEqual([202, 202]);
	expect(await use('https://media.example.com/files/x/y')).toBe(400);
	await front.close();
});

describe('an output', () => {
	const made = async (delivery: string) => {
		const { body } = await service.post('/generations', anImage({ delivery }));
		service.pass(60);
		return async () => (await service.get(`/generations/${body.id}`)).body.outputs[0];
	};

	test('by a public link stays good, whole or in ranges', async () => {
		const { url, expires_at } = await (await made('public_url'))();
		expect(expires_at).toBeUndefined();
		service.pass(86_400);
		const whole = await fetch(url);
		expect(whole.headers.get('content-type')).toBe('image/png');
		expect(await whole.text()).toContain('a fox in the snow');
		const part = await fetch(url, { headers: { range: 'bytes=10-12' } });
		expect([part.status, await part.text()]).toEqual([206, 'age']);
	});

	test('by a signed link ends at expires_at, and reading the generation again gives a fresh one', async () => {
		const read = await made('signed_url');
		const { url, expires_at } = await read();
		expect(Date.parse(expires_at)).toBe(service.timers.now() + 15 * 60_000);
		expect(await statusOf(url.split('?')[0])).toBe(403);
		expect(await statusOf(url.replace(/.$/, (end: string) => (end === '0' ? '1' : '0')))).toBe(403);
		service.pass(15 * 60);
		expect(await statusOf(url)).toBe(200);
		service.pass(1);
		expect(await statusOf(url)).toBe(403);
		expect(await statusOf((await read()).url)).toBe(200);
	});
});

/** The address has the origin of the admin path, so nothing may become a page with a script in it. */
test.each([
	['TEXT/HTML; charset=utf-8', 'application/octet-stream'],
	['image/svg+xml', 'application/octet-stream'],
	['audio/mpeg', 'audio/mpeg'],
])('an upload of %s is served as %s', async (content_type, type) => {
	const { upload_url, upload_headers, url } = await created({ content_type });
	await put(upload_url, upload_headers);
	const { headers } = await fetch(url);
	expect(headers.get('content-type')).toBe(type);
	expect(headers.get('x-content-type-options')).toBe('nosniff');
	const isShown = headers.get('content-disposition') !== 'attachment';
	expect(isShown).toBe(type === content_type);
});
