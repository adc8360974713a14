/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { Readable } from 'stream';
import { upload } from '../../src/run/uploads';
import type { Host, StreamedResponse } from '../../src/service/host';
import type { SendResult, ApiRequest, NoResponse } from '../../src/base/types';
import { answer, errorBody, LOST } from '../../testing/answers';
import { hostWith, sourceWith, workspaceWith } from '../../testing/run';
import { VirtualClock } from '../../testing/virtualClock';

const PRESIGNED = 'https://put.example/x?signature=canary-signature';

const place = (more: Record<string, unknown> = {}) =>
	answer(201, {
		upload_url: PRESIGNED,
		upload_headers: { 'Content-Type': 'image/png' },
		url: 'https://files.example/1',
		...more,
	});

interface Put {
	url: string;
	headers: Record<string, string>;
}

const NOT_THERE = { status: 404, headers: {}, body: Readable.from(['no']), close: () => {} };

async function send(
	puts: SendResult[],
	created: SendResult[] = [place()],
	source = sourceWith(),
	found: StreamedResponse | NoResponse = NOT_THERE,
) {
	const clock = new VirtualClock();
	const posts: ApiRequest[] = [];
	const sent: Put[] = [];
	const reads: string[] = [];
	const started = clock.now();
	const put: Host['put'] = async (url, headers) => {
		sent.push({ url, headers });
		return puts[Math.min(sent.length, puts.length) - 1] ?? LOST;
	};
	const host = hostWith(
		async (request) => {
			posts.push(request);
			return created[Math.min(posts.length, created.length) - 1] ?? LOST;
		},
		{
			put,
			get: async (url) => {
				reads.push(url);
				return found;
			},
		},
	);
	const uploading = upload(host, workspaceWith(clock), { field: 'clip', source, key: 'key' });
	const result = await clock.run(uploading);
	return { result, posts, sent, reads, took: clock.now() - started };
}

test('name, type and size are sent, the file is uploaded to the given URL, and the final URL is returned', async () => {
	const { result, posts, sent } = await send([answer(200, '')]);
	const url = 'https://files.example/1';
	const file = { url, fileName: 'cat.png', mimeType: 'image/png', size: 3 };
	expect(result).toEqual({ ok: true, value: file });
	expect(posts).toMatchObject([
		{
			method: 'POST',
			path: '/files',
			body: { filename: 'cat.png', content_type: 'image/png', size: 3 },
		},
	]);
	expect(sent).toEqual([{ url: PRESIGNED, headers: { 'Content-Type': 'image/png' } }]);
});

test('exactly the headers given are sent, minus credentials, host and any with a line break', async () => {
	const upload_headers = {
		'x-amz-acl': 'private',
		'X-Number': 7,
		Host: 'evil.example',
		cookie: 'a=b',
		AUTHORIZATION: 'Bearer x',
		'Proxy-Authorization': 'Basic x',
		'x-split': 'a\r\nAuthorization: Bearer x',
		'x-na\nme': 'b',
	};
	const { sent } = await send([answer(200, '')], [place({ upload_headers })]);
	expect(sent[0]?.headers).toEqual({ 'x-amz-acl': 'private', 'X-Number': '7' });
	for (const none of [undefined, null, [], 'text']) {
		expect(
			(await send([answer(200, '')], [place({ upload_headers: none })])).sent[0]?.headers,
		).toEqual({});
	}
});

test('a file without a usable name or type gets one', async () => {
	const nameless = sourceWith({ fileName: '..', mimeType: 'nonsense' });
	const { posts } = await send([answer(200, '')], [place()], nameless);
	expect(posts[0]?.body).toMatchObject({
		filename: 'clip.bin',
		content_type: 'application/octet-stream',
	});
	const typed = await send([answer(200, '')], [place()], sourceWith({ fileName: '' }));
	expect(typed.posts[0]?.body).toMatchObject({ filename: 'clip.png', content_type: 'image/png' });
});

test('a transfer that fails is tried four times, all at the one address of its key', async () => {
	const { result, posts, sent } = await send([LOST, answer(503), answer(200, '')]);
	expect(result.ok).toBe(true);
	expect(sent.map(({ url }) => url)).toEqual([PRESIGNED, PRESIGNED, PRESIGNED]);
	expect(posts.map(({ headers }) => headers?.['Idempotency-Key'])).toEqual(['key-1']);
	const never = await send([LOST]);
	expect(never.result).toMatchObject({
		failure: { kind: 'upload', field: 'clip', problem: 'ECONNRESET' },
	});
	expect(never.sent).toHaveLength(4);
});

test.each([408, 429, 500, 503])('a %i of the storage is tried again', async (status) => {
	const { result, sent, posts } = await send([answer(status), answer(200, '')]);
	expect(result.ok).toBe(true);
	expect(sent).toHaveLength(2);
	expect(posts).toHaveLength(1);
});

test('after the Retry-After of the storage, up to the cap', async () => {
	const asked = await send([answer(429, '', { 'retry-after': '30' }), answer(200, '')]);
	expect(asked.took).toBeGreaterThanOrEqual(30_000);
	expect(asked.took).toBeLessThan(31_001);
	const capped = await send([answer(503, '', { 'retry-after': '99999' }), answer(200, '')]);
	expect(capped.took).toBeLessThan(121_001);
});

test.each(['local', 'certificate'] as const)(
	'a %s failure of the transfer is final',
	async (unsent) => {
		const { result, sent } = await send([{ noResponse: 'why', unsent }, answer(200, '')]);
		expect(result).toMatchObject({ failure: { problem: 'why' } });
		expect(sent).toHaveLength(1);
	},
);

describe.each([401, 403, 404, 409, 410, 412])('an address that answers %i is used up', (status) => {
	const there = (length: string): StreamedResponse => ({
		status: 200,
		headers: { 'content-length': length },
		body: Readable.from(['cat']),
		close: () => {},
	});

	test('it is tried once more, as others get the same one for this file, before a new one is asked for', async () => {
		const once = await send([answer(status), answer(200, '')]);
		expect(once.result).toMatchObject({ ok: true, value: { url: 'https://files.example/1' } });
		expect(once.posts).toHaveLength(1);
		const twice = await send([answer(status), answer(status), answer(200, '')]);
		expect(twice.result.ok).toBe(true);
		expect(twice.sent).toHaveLength(3);
		const keys = twice.posts.map(({ headers }) => headers?.['Idempotency-Key']);
		expect(keys).toEqual(['key-1', 'key-2']);
		expect(twice.reads).toEqual(['https://files.example/1', 'https://files.example/1']);
	});

	test('nothing is sent again where an earlier try has arrived after all', async () => {
		const arrived = await send([LOST, answer(status)], [place()], sourceWith(), there('3'));
		expect(arrived.result).toMatchObject({ ok: true, value: { url: 'https://files.example/1' } });
		expect(arrived.sent).toHaveLength(2);
		const other = await send([answer(status)], [place()], sourceWith(), there('2'));
		expect(other.result.ok).toBe(false);
		expect(other.sent).toHaveLength(4);
	});
});

test('an address that may not be read is not read', async () => {
	const url = 'https://10.0.0.1/1';
	const { reads } = await send([answer(403), answer(200, '')], [place({ url })]);
	expect(reads).toEqual([]);
});

test.each([302, 400, 413])(
	'%i of the storage is final: no redirect is followed',
	async (status) => {
		const { result, sent } = await send([answer(status, '', { location: 'https://evil.example' })]);
		expect(result).toMatchObject({ failure: { problem: `the storage answered ${status}` } });
		expect(sent).toHaveLength(1);
	},
);

test.each([
	['http://put.example/x', 'the address is not https'],
	['https://169.254.169.254/x', 'the address is in a private network'],
	['nonsense', 'the address is not a URL'],
])('nothing is sent to %s', async (upload_url, problem) => {
	const { result, sent } = await send([answer(200, '')], [place({ upload_url })]);
	expect(result).toMatchObject({ failure: { kind: 'upload', problem } });
	expect(sent).toHaveLength(0);
});

test('a response without addresses is reported with what it lacks', async () => {
	const { result } = await send([], [answer(201, { object: 'file' })]);
	expect(result).toMatchObject({
		failure: { kind: 'badResponse', problem: 'the response has no upload_url and no url' },
	});
});

test('a refusal of the service is passed on as it is', async () => {
	const { result, posts } = await send([], [answer(403, errorBody('no files:write'))]);
	expect(result).toMatchObject({
		failure: { kind: 'status', status: 403, serviceError: { message: 'no files:write' } },
	});
	expect(posts).toHaveLength(1);
});

test('no failure reveals the presigned URL', async () => {
	for (const put of [LOST, answer(403, PRESIGNED), answer(500, PRESIGNED)]) {
		const { result } = await send([put]);
		expect(result.ok).toBe(false);
		expect(JSON.stringify(result)).not.toMatch(/canary|put\.example/);
	}
});
