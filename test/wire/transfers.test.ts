/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { MediaGenFile } from '../../nodes/File/MediaGenFile.node';
import { MediaGenJob } from '../../nodes/Job/MediaGenJob.node';
import type { Host, StreamedResponse } from '../../src/transport/host';
import type * as Still from './support/stillClock';
import { at, BASE_URL, hostOver, overTheWire, runNode, sent, service } from './support/wire';

jest.mock('../../src/base/clock', () => jest.requireActual<typeof Still>('./support/stillClock'));

overTheWire();

const NEVER = new AbortController().signal;
const STORAGE = 'https://storage.example';
const EVIL = 'https://evil.example/x';
const CAT = { size: 3, open: async () => Buffer.from('cat') };

/** What Node and n8n's HTTP client add to every file. */
const ADDED = { connection: 'close', host: 'storage.example', 'user-agent': 'n8n' };
const ACCEPT = 'application/json, text/plain, */*';

/** A body that brings its beginning, and then nothing. */
function stalled(): Readable {
	const body = new Readable({ read() {} });
	body.push('c');
	return body;
}

async function download(url = `${STORAGE}/a.png`): Promise<StreamedResponse> {
	const response = await hostOver().get(url, NEVER);
	if ('noResponse' in response) throw new Error(response.noResponse);
	return response;
}

describe('a download', () => {
	test('asks for the file as it is, and has no key', async () => {
		at(STORAGE).get('/a.png?signature=x%2By').reply(200, 'cat', { 'Content-Type': 'image/png' });
		const { status, headers, body } = await download(`${STORAGE}/a.png?signature=x%2By`);
		expect([status, headers['content-type'], String(await buffer(body))]).toEqual([
			200,
			'image/png',
			'cat',
		]);
		expect(sent()).toEqual([
			{
				method: 'GET',
				url: `${STORAGE}/a.png?signature=x%2By`,
				headers: { ...ADDED, accept: ACCEPT, 'accept-encoding': 'identity' },
				body: '',
			},
		]);
	});

	test('has no key at the base URL either', async () => {
		at(BASE_URL).get('/a.png').reply(200, 'cat');
		(await download(`${BASE_URL}/a.png`)).close();
		expect(sent()[0]?.headers).not.toHaveProperty('authorization');
	});

	test('that comes packed is unpacked', async () => {
		at(STORAGE).get('/a.png').reply(200, gzipSync('cat'), { 'content-encoding': 'gzip' });
		const { body } = await download();
		expect(String(await buffer(body))).toBe('cat');
	});

	test('follows no redirect by itself, and hears every status', async () => {
		for (const status of [302, 403, 500]) {
			at(STORAGE).get('/a.png').reply(status, 'no', { Location: EVIL });
			const response = await download();
			response.close();
			expect([response.status, response.headers.location]).toEqual([status, EVIL]);
		}
	});

	test('that is cut off ends with an error', async () => {
		at(STORAGE).get('/a.png').reply(200, 'ca', { 'content-length': '3' });
		const { body } = await download();
		await expect(buffer(body)).rejects.toThrow('aborted');
	});

	test('can be closed, however far it got, and more than once', async () => {
		at(STORAGE).get('/a.png').reply(200, stalled);
		const { body, close } = await download();
		close();
		close();
		await expect(buffer(body)).rejects.toThrow();
		expect((body as Readable).destroyed).toBe(true);
	});
});

describe('an upload', () => {
	test.each([
		['from memory', async () => Buffer.from('cat')],
		['as a stream', async () => Readable.from([Buffer.from('ca'), Buffer.from('t')])],
	])('%s has the headers given and its length, and no others', async (_name, open) => {
		at(STORAGE).put('/x').twice().reply(200);
		const file = { size: 3, open };
		await hostOver().put(`${STORAGE}/x`, { 'x-acl': 'private' }, file, NEVER);
		await hostOver().put(`${STORAGE}/x`, { 'content-type': 'image/png' }, file, NEVER);
		const common = {
			...ADDED,
			accept: ACCEPT,
			'accept-encoding': 'gzip, compress, deflate, br',
			'content-length': '3',
		};
		expect(sent().map(({ headers }) => headers)).toEqual([
			{ ...common, 'x-acl': 'private' },
			{ ...common, 'content-type': 'image/png' },
		]);
		expect(sent().map(({ body }) => body)).toEqual(['cat', 'cat']);
	});

	test('follows no redirect by itself, and hears every status', async () => {
		for (const status of [307, 403, 500]) {
			at(STORAGE).put('/x').reply(status, 'no', { Location: EVIL });
			const heard = await hostOver().put(`${STORAGE}/x`, {}, CAT, NEVER);
			expect(heard).toMatchObject({ status, headers: { location: EVIL } });
		}
	});

	test('does not wait for the end of its answer', async () => {
		at(STORAGE).put('/x').reply(200, stalled);
		expect(await hostOver().put(`${STORAGE}/x`, {}, CAT, NEVER)).toMatchObject({ status: 200 });
	});
});

describe.each<[string, (host: Host, end: AbortSignal) => Promise<unknown>]>([
	['put', async (host, end) => await host.put(`${STORAGE}/x`, {}, CAT, end)],
	['get', async (host, end) => await host.get(`${STORAGE}/x`, end)],
])('a file that is to be %s', (method, start) => {
	test('is given up when its time is over', async () => {
		const end = new AbortController();
		const storage = at(STORAGE);
		storage.intercept('/x', method).delay(60_000).reply(200);
		storage.on('request', () => end.abort());
		expect(await start(hostOver(), end.signal)).toEqual({ noResponse: 'timeout' });
	});

	test.each([
		['refused', 'ECONNREFUSED', 'connect', { noResponse: 'ECONNREFUSED', unsent: 'connection' }],
		['reset', 'ECONNRESET', 'read', { noResponse: 'ECONNRESET' }],
	])('says so when it is %s', async (_name, code, syscall, heard) => {
		const error = Object.assign(new Error(code), { code, syscall });
		at(STORAGE).intercept('/x', method).replyWithError(error);
		expect(await start(hostOver(), NEVER)).toEqual(heard);
	});
});

describe('in a run of a node the key goes to the service, and not with the files', () => {
	test('down, over a redirect', async () => {
		const url = `${STORAGE}/a.png?signature=x`;
		const job = { id: 'gen_1', object: 'generation', status: 'completed' };
		const outputs = [{ id: 'out_1', type: 'image', url }];
		service()
			.get('/jobs/gen_1')
			.reply(200, { ...job, outputs });
		at(STORAGE).get('/a.png?signature=x').reply(302, '', { Location: 'https://cdn.example/a' });
		at('https://cdn.example')
			.get('/a')
			.reply(200, 'GIF89a picture', { 'content-type': 'image/gif' });
		const parameters = { operation: 'get', jobId: 'gen_1', downloadOutputs: true };
		const [item] = await runNode(MediaGenJob, parameters);
		expect(item?.binary?.data).toMatchObject({
			data: Buffer.from('GIF89a picture').toString('base64'),
		});
		const keyed = sent().map(({ headers }) => 'authorization' in headers);
		expect(keyed).toEqual([true, false, false]);
	});

	test('up, over a redirect, with the same headers and the same body', async () => {
		const answer = {
			upload_url: `${STORAGE}/put?signature=x`,
			upload_headers: { 'Content-Type': 'text/plain', 'x-acl': 'private' },
			url: 'https://files.example/1',
		};
		service().post('/files').reply(201, answer);
		at(STORAGE).put('/put?signature=x').reply(307, '', { Location: 'https://other.example/y' });
		at('https://other.example').put('/y').reply(200);
		const data = {
			data: Buffer.from('Some text').toString('base64'),
			mimeType: 'text/plain',
			fileName: 'cat.txt',
		};
		const items = [{ json: {}, binary: { data } }];
		await runNode(MediaGenFile, { operation: 'upload', inputBinaryField: 'data' }, { items });
		const [created, ...puts] = sent();
		expect(created?.headers).toHaveProperty('authorization');
		for (const { headers, body } of puts) {
			expect(headers).toMatchObject({ 'content-type': 'text/plain', 'x-acl': 'private' });
			expect(headers).not.toHaveProperty('authorization');
			expect(body).toBe('Some text');
		}
		expect(puts.map(({ url }) => url)).toEqual([
			`${STORAGE}/put?signature=x`,
			'https://other.example/y',
		]);
	});
});
