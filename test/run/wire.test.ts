/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import type { IHttpRequestOptions, INodeExecutionData } from 'n8n-workflow';
import nock from 'nock';
import { Readable } from 'stream';
import { finished } from 'stream/promises';
import { MediaGen } from '../../nodes/MediaGen/MediaGen.node';
import { execute } from '../support/engine';
import { nodeRun } from '../support/nodeContext';

/** Requests whose response has not been read to its end yet. */
const mockInFlight = new Set<Promise<unknown>>();

/**
 * Time that passes as soon as somebody sleeps, but not while a response is on its way: HTTP takes
 * real time, however much that is on a busy machine, and no deadline must pass meanwhile.
 */
jest.mock('../../src/base/clock', () => {
	let now = Date.parse('2026-01-01T00:00:00Z');
	const turn = async () => await new Promise((resolve) => setImmediate(resolve));
	const sleep = async (ms: number, signal?: AbortSignal) => {
		await turn();
		while (mockInFlight.size > 0) {
			await Promise.all(mockInFlight);
			await turn();
		}
		if (!signal?.aborted) now += ms;
	};
	return { systemClock: { now: () => now, monotonic: () => now, sleep } };
});

const HOST = 'https://wire.example.com';
const KEY = 'wire-key-of-this-test';

/** Sends what the transport asks n8n for as n8n's helper would, over HTTP. */
async function overHttp(options: IHttpRequestOptions): Promise<unknown> {
	const response = send(options);
	const read = response.then(async ({ body }) => await finished(body)).catch(() => undefined);
	mockInFlight.add(read);
	void read.then(() => mockInFlight.delete(read));
	return await response;
}

async function send(options: IHttpRequestOptions) {
	const { baseURL, url, qs = {}, method, headers, body } = options;
	const target = new URL(baseURL ? `${baseURL}${url}` : url);
	for (const [name, value] of Object.entries(qs)) target.searchParams.set(name, String(value));
	const sent = new Headers(headers as Record<string, string>);
	if (baseURL) sent.set('authorization', `Bearer ${KEY}`);
	const answer = await fetch(target, {
		method,
		headers: sent,
		body: body as string | undefined,
		redirect: options.disableFollowRedirect ? 'manual' : 'follow',
	});
	const stream = Readable.from([Buffer.from(await answer.arrayBuffer())]);
	return { statusCode: answer.status, headers: Object.fromEntries(answer.headers), body: stream };
}

const run = async (parameters: Record<string, unknown>) => {
	const credential = { apiKey: KEY, baseUrl: `${HOST}/v1` };
	const shared = nodeRun({ request: overHttp, credential });
	const { description } = new MediaGen();
	return await execute(description, shared, () => parameters);
};

beforeAll(() => nock.disableNetConnect());
afterEach(() => {
	expect(nock.pendingMocks()).toEqual([]);
	nock.cleanAll();
});
afterAll(() => nock.restore());

test('a creation, its polls and its download are on the wire exactly what they should be', async () => {
	const job = { id: 'gen 1', object: 'generation', status: 'queued', mode: 'image', model: 'm' };
	const outputs = [{ id: 'o', url: `${HOST}/files/o`, media_type: 'image/png' }];
	const body = {
		mode: 'image',
		model: 'm',
		prompt: 'a cat',
		parameters: { count: 2 },
	};
	nock(HOST, {
		reqheaders: { authorization: `Bearer ${KEY}`, 'idempotency-key': /^n8n-[0-9a-f]{64}$/ },
	})
		.post('/v1/generations', body)
		.reply(202, job);
	// The polls have nothing of the creation: no key, no body.
	nock(HOST, {
		reqheaders: { authorization: `Bearer ${KEY}` },
		badheaders: ['idempotency-key', 'content-type'],
	})
		.get('/v1/generations/gen%201')
		.reply(200, job)
		.get('/v1/generations/gen%201')
		.reply(200, { ...job, status: 'completed', outputs });
	nock(HOST, { badheaders: ['authorization', 'idempotency-key'] })
		.get('/files/o')
		.reply(200, 'picture', { 'content-type': 'image/png' });

	const items = (await run({
		operation: 'generateImage',
		model: { __rl: true, mode: 'id', value: 'm' },
		prompt: 'a cat',
		parameters: { count: '2' },
		waitForCompletion: true,
		downloadOutputs: true,
	})) as INodeExecutionData[];
	expect(items).toMatchObject([{ json: { status: 'completed' }, pairedItem: { item: 0 } }]);
	expect(items[0]?.binary?.data).toMatchObject({ fileName: 'a-cat-1.png', mimeType: 'image/png' });
});

test('Get Many is GET /generations with limit, then with the cursor as well', async () => {
	const entry = (n: number) => ({ id: `gen_${n}`, object: 'generation', status: 'completed' });
	const page = (from: number, count: number) =>
		Array.from({ length: count }, (_, n) => entry(from + n));
	nock(HOST, { badheaders: ['idempotency-key'] })
		.get('/v1/generations')
		.query({ limit: 100 })
		.reply(200, {
			object: 'list',
			data: page(0, 100),
			has_more: true,
			next_cursor: '2026-01-01T00:00:00Z',
		})
		.get('/v1/generations')
		.query({ limit: 20, cursor: '2026-01-01T00:00:00Z' })
		.reply(200, { object: 'list', data: page(100, 20), has_more: true, next_cursor: 'more' });
	const items = await run({ operation: 'getAll', returnAll: false, limit: 120 });
	expect(items).toHaveLength(120);
});
