/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import type nock from 'nock';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { type ApiRequest } from '../../src/base/types';
import type { RequestOptions } from '../../src/transport/client';
import { Workspace } from '../../src/transport/workspace';
import { channelOf, errorBody } from '../model/answers';
import { InstantClock } from '../model/instantClock';
import { PLAN } from '../model/run';
import { hostOver, keyOfThisTest, overTheWire, sent, service } from './support/wire';

overTheWire();

const GET: ApiRequest = { method: 'GET', path: '/credits' };
const POST: ApiRequest = {
	method: 'POST',
	path: '/generations',
	body: { prompt: 'a cat' },
	headers: { 'Idempotency-Key': 'key-of-the-cat' },
};

/** An error of Node's, as it comes out of a socket. */
const coded = (code: string, syscall: string) =>
	Object.assign(new Error(`${syscall} ${code}`), { code, syscall });

/** A body that never ends after its beginning. */
function stalled(start: string): Readable {
	const body = new Readable({ read() {} });
	body.push(start);
	return body;
}

type Answer = (asked: nock.Interceptor) => nock.Scope;

const fails =
	(code: string, syscall: string): Answer =>
	(asked) =>
		asked.replyWithError(coded(code, syscall));

const refused = fails('ECONNREFUSED', 'connect');
const reset = fails('ECONNRESET', 'read');

const answers =
	(status: number, body: nock.Body = {}, headers: nock.ReplyHeaders = {}): Answer =>
	(asked) =>
		asked.reply(status, body, headers);

/** Its body has another length than its headers say. */
const cutOff = answers(200, '{"id": "gen', { 'content-length': '1000' });

const never: Answer = (asked) => asked.delay(60_000).reply(200, { id: 'late' });
const stalls: Answer = (asked) => asked.reply(200, () => stalled('{"id'));

/** Only what is never answered has little time: a busy machine would take other answers for late. */
const timeoutFor = (answer: Answer | undefined) => (answer === never || answer === stalls ? 30 : 0);

const EVIL = 'https://evil.example/v1/generations';

describe('what the transport makes of an answer', () => {
	test.each<[name: string, answer: Answer, heard: object]>([
		['refused', refused, { noResponse: 'ECONNREFUSED', unsent: 'connection' }],
		[
			'no such host',
			fails('ENOTFOUND', 'getaddrinfo'),
			{ noResponse: 'ENOTFOUND', unsent: 'connection' },
		],
		['reset', reset, { noResponse: 'ECONNRESET' }],
		['cut off in the middle of its body', cutOff, { noResponse: 'ECONNRESET' }],
		['never', never, { noResponse: 'timeout' }],
		['as far as the middle of its body', stalls, { noResponse: 'timeout' }],
		['with nothing', answers(204, ''), { status: 204, body: '' }],
		['with a page', answers(200, '<html>'), { status: 200, body: '<html>' }],
		['with JSON and a byte order mark', answers(200, '\ufeff{"a":1}'), { body: { a: 1 } }],
		[
			'packed',
			answers(200, gzipSync('{"a":"ä"}'), { 'content-encoding': 'gzip' }),
			{ status: 200, body: { a: 'ä' } },
		],
		[
			'with 402',
			answers(402, errorBody('Too few credits')),
			{ status: 402, body: errorBody('Too few credits') },
		],
		[
			'with 429 and headers, whose names come in lower case',
			answers(429, errorBody('Slow down'), { 'Retry-After': '7' }),
			{ status: 429, headers: { 'retry-after': '7' } },
		],
		['with a redirect', answers(302, 'away', { Location: EVIL }), { status: 302 }],
		['with one that keeps the method', answers(307, '', { Location: EVIL }), { status: 307 }],
	])('that comes %s', async (_name, answer, heard) => {
		answer(service().post('/generations'));
		const { channel } = hostOver({ timeoutMs: timeoutFor(answer) });
		expect(await channel.send(POST)).toMatchObject(heard);
		expect(sent()).toHaveLength(1);
	});

	test('no redirect is followed: not with the key, and not without it', async () => {
		for (const { method, path } of [GET, POST]) {
			service().intercept(path, method).reply(301, '', { Location: EVIL });
			const heard = await hostOver().channel.send({ method, path });
			expect(heard).toMatchObject({ status: 301, headers: { location: EVIL } });
		}
		expect(sent().map(({ url }) => new URL(url).host)).toEqual(['api.example', 'api.example']);
	});

	test('a key that the service repeats is masked', async () => {
		service()
			.get('/credits')
			.reply(401, errorBody(`bad key ${keyOfThisTest()}`));
		const heard = await hostOver().channel.send(GET);
		expect(heard).toMatchObject({ body: { error: { message: 'bad key ***' } } });
	});

	test('a body goes out as it is, whatever the names in it', async () => {
		// As text, so that no name in it is left out.
		const body = JSON.parse('{"plan": {"constructor": {"a": 1}, "prototype": 2}}') as object;
		service().post('/agents/runs').query({ limit: 2 }).reply(200, { id: 'x' });
		const request = { method: 'POST', path: '/agents/runs', query: { limit: 2 }, body } as const;
		expect(await hostOver().channel.send(request)).toMatchObject({ body: { id: 'x' } });
		expect(sent()[0]?.body).toBe('{"plan":{"constructor":{"a":1},"prototype":2}}');
	});
});

describe('an execution that is stopped while a request is out', () => {
	test.each([
		['heard', true, { status: 200, body: { id: 'gen_1' } }],
		['cut off', false, { noResponse: expect.any(String) as string }],
	])('its answer is %s if outlivesCancel is %j', async (_what, outlivesCancel, heard) => {
		const stop = new AbortController();
		service()
			.post('/generations')
			.reply(200, () => {
				stop.abort();
				return Readable.from([Buffer.from('{"id":"gen_1"}')]);
			});
		const { channel } = hostOver({ signal: stop.signal });
		expect(await channel.send({ ...POST, outlivesCancel })).toMatchObject(heard);
	});
});

/** Keeps how long it was asked to wait. */
class NotingClock extends InstantClock {
	readonly waits: number[] = [];

	override async sleep(ms: number): Promise<void> {
		this.waits.push(ms);
		await super.sleep(ms);
	}
}

/** A request of the client, whose answers come in this order. */
async function ask(request: ApiRequest, given: Answer[], options: RequestOptions = {}) {
	for (const answer of given) answer(service().intercept(request.path, request.method));
	const clock = new NotingClock();
	const { client } = new Workspace(PLAN, clock, () => 0);
	const channel = channelOf(async (asked) => {
		const timeoutMs = timeoutFor(given[sent().length]);
		return await hostOver({ timeoutMs }).channel.send(asked);
	});
	const result = await client.request(channel, request, options);
	return { result, waits: clock.waits };
}

const WITH_KEY: RequestOptions = { replayable: true };
const made = answers(202, { id: 'gen_1' });

describe('what is sent again, and when', () => {
	test.each<[name: string, headers: nock.ReplyHeaders, waitMs: number]>([
		['with Retry-After in seconds', { 'Retry-After': '7' }, 7_000],
		['with one as a date', { 'Retry-After': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
		['with one of years', { 'Retry-After': '1000000000' }, 120_000],
		['with one that says nothing', { 'Retry-After': 'soon' }, 100],
		['without', {}, 100],
	])('after a 429 %s', async (_name, headers, waitMs) => {
		const busy = answers(429, errorBody('Slow down'), headers);
		const { result, waits } = await ask(POST, [busy, made]);
		expect(result).toMatchObject({ ok: true, value: { body: { id: 'gen_1' } } });
		expect(Math.max(...waits)).toBe(waitMs);
	});

	test('429 for ever is given up after five minutes, and says how long to wait', async () => {
		const busy = answers(429, errorBody('Slow down'), { 'Retry-After': '7' });
		const { result } = await ask(POST, Array<Answer>(1 + Math.floor(300 / 7)).fill(busy));
		const failure = { kind: 'status', status: 429, hintMs: 7_000, outcomeUnknown: false };
		expect(result).toMatchObject({ ok: false, failure });
	});

	test.each([400, 401, 402, 403, 404])('%i is final', async (status) => {
		const { result } = await ask(POST, [answers(status, errorBody('No'))], WITH_KEY);
		const serviceError = { message: 'No', type: 'some_type', requestId: 'req_1' };
		const failure = { kind: 'status', status, serviceError, outcomeUnknown: false };
		expect(result).toMatchObject({ ok: false, failure });
	});

	const LOST: Array<[string, Answer]> = [
		['that is cut off', cutOff],
		['that is reset', reset],
		['that is too slow', never],
		['that stands still', stalls],
		['of a gateway', answers(502, '<html>Bad gateway')],
		['that redirects', answers(307, '', { Location: EVIL })],
	];

	test.each(LOST)(
		'under its key, a creation with an answer %s: the very same request',
		async (_, lost) => {
			const { result } = await ask(POST, [lost, made], WITH_KEY);
			expect(result).toMatchObject({ ok: true, value: { body: { id: 'gen_1' } } });
			const [first, second] = sent();
			expect(first).toMatchObject({ headers: { 'idempotency-key': 'key-of-the-cat' } });
			expect(second).toEqual(first);
		},
	);

	test.each(LOST)('without a key, a creation with an answer %s: never', async (_name, lost) => {
		const { result } = await ask({ ...POST, headers: {} }, [lost]);
		expect(result).toMatchObject({ ok: false, failure: { outcomeUnknown: true } });
		expect(sent()).toHaveLength(1);
	});

	test('what no connection was made for: also without a key', async () => {
		const { result } = await ask({ ...POST, headers: {} }, [refused, made]);
		expect(result.ok).toBe(true);
	});

	test.each(LOST)('whatever only reads and has an answer %s', async (_name, lost) => {
		const { result } = await ask(GET, [lost, answers(200, { balance: 5 })]);
		expect(result).toMatchObject({ ok: true, value: { body: { balance: 5 } } });
	});
});
