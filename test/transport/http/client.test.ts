import { Client, type RequestOptions } from '../../../src/transport/http/client';
import { errorOf } from '../../../src/transport/http/statuses';
import { RateLimiter } from '../../../src/transport/limits/rateLimiter';
import type { SendResult, ApiRequest } from '../../../src/transport/base/types';
import { answer, errorBody, gaps, channelOf, LOST, scripted } from '../../../testing/answers';
import { seeded } from '../../../testing/random';
import { VirtualClock } from '../../../testing/virtualClock';

const GET: ApiRequest = { method: 'GET', path: '/generations/gen_1' };
const POST: ApiRequest = { method: 'POST', path: '/generations', body: {} };

async function ask(request: ApiRequest, answers: SendResult[], options: RequestOptions = {}) {
	const clock = new VirtualClock();
	const client = new Client(new RateLimiter(clock, 60), clock, seeded(1));
	const { send, sent } = scripted(clock, answers);
	const result = await clock.run(client.request(channelOf(send), request, options));
	return { result, sent };
}

const WITH_KEY: RequestOptions = { replayable: true };

test.each([400, 401, 402, 403, 404, 409, 422])('%i: one request, no retry', async (status) => {
	for (const request of [GET, POST]) {
		const { result, sent } = await ask(request, [answer(status), answer(200)], WITH_KEY);
		expect(sent).toHaveLength(1);
		expect(result).toMatchObject({
			ok: false,
			failure: { kind: 'status', status, outcomeUnknown: false },
		});
	}
});

test.each([
	['408', answer(408)],
	['500', answer(500)],
	['502', answer(502)],
	['503', answer(503)],
	['504', answer(504)],
	['520', answer(520)],
	['529', answer(529)],
	['no response', LOST],
	['a truncated body', answer(200, '{"id": "gen')],
])(
	'%s: retried for GET and for POST with a key, never for POST without one',
	async (_name, fault) => {
		const good = answer(200);
		expect((await ask(GET, [fault, fault, good])).sent).toHaveLength(3);
		expect((await ask(POST, [fault, fault, good], WITH_KEY)).sent).toHaveLength(3);
		const bare = await ask(POST, [fault, good]);
		expect(bare.sent).toHaveLength(1);
		expect(bare.result.ok).toBe(false);
	},
);

test('a 409 after a lost answer means that the service is still at work: the key is sent again', async () => {
	const busy = [LOST, answer(409), answer(409), answer(202)];
	expect((await ask(POST, busy, WITH_KEY)).sent).toHaveLength(4);
	const bare = await ask(POST, busy);
	expect(bare.sent).toHaveLength(1);
});

test('so does a 409 where the answer to an earlier request under the key was lost', async () => {
	const busy = [answer(409), answer(409), answer(202)];
	const open = await ask(POST, busy, { ...WITH_KEY, outcomeOpen: true });
	expect(open.sent).toHaveLength(3);
	const refused = await ask(POST, [answer(400)], { ...WITH_KEY, outcomeOpen: true });
	expect(refused.result).toMatchObject({ failure: { status: 400, outcomeUnknown: true } });
});

test('attempts are limited: 7 for transient faults, 8 for 429', async () => {
	const faulty = await ask(GET, [LOST]);
	expect(faulty.sent).toHaveLength(7);
	expect(faulty.result).toMatchObject({
		failure: { kind: 'noResponse', attempts: 7, reason: 'ECONNRESET' },
	});
	const limited = await ask(POST, [answer(429)]);
	expect(limited.sent).toHaveLength(8);
	expect(limited.result).toMatchObject({
		failure: { kind: 'status', status: 429, outcomeUnknown: false },
	});
});

describe('what never reached the service', () => {
	const refused: SendResult = { noResponse: 'ECONNREFUSED', unsent: 'connection' };

	test('is retried, even without a key, and after 5 attempts is known to have done nothing', async () => {
		const found = await ask(POST, [refused, refused, answer(202)]);
		expect(found.result.ok).toBe(true);
		const { result, sent } = await ask(POST, [refused]);
		expect(sent).toHaveLength(5);
		expect(result).toMatchObject({
			failure: { kind: 'noResponse', attempts: 5, outcomeUnknown: false, unsent: 'connection' },
		});
	});

	test('leaves the outcome of an earlier attempt unknown', async () => {
		const { result } = await ask(POST, [LOST, refused], WITH_KEY);
		expect(result).toMatchObject({ failure: { outcomeUnknown: true, unsent: 'connection' } });
	});

	test.each(['local', 'certificate'] as const)('%s: fails at once', async (unsent) => {
		const { result, sent } = await ask(GET, [{ noResponse: 'why', unsent }]);
		expect(sent).toHaveLength(1);
		expect(result).toMatchObject({
			failure: { reason: 'why', attempts: 1, outcomeUnknown: false, unsent },
		});
	});
});

describe('a 429 is retried after its Retry-After', () => {
	test.each([
		['absent', undefined, 0, 2_000],
		['seconds', '9', 9_000, 10_000],
		['a date', 'Thu, 01 Jan 2026 00:00:20 GMT', 20_000, 21_000],
		['a date in the past', 'Thu, 01 Jan 2015 00:00:00 GMT', 0, 2_000],
		['negative', '-3', 0, 2_000],
		['NaN', 'NaN', 0, 2_000],
		['1e9', '1e9', 0, 2_000],
		['a thousand million', '1000000000', 120_000, 121_000],
	])('%s', async (_name, header, min, max) => {
		const headers: Record<string, string> = header === undefined ? {} : { 'retry-after': header };
		const { result, sent } = await ask(GET, [answer(429, undefined, headers), answer(200)]);
		expect(result.ok).toBe(true);
		expect(gaps(sent)[0]).toBeGreaterThanOrEqual(Math.max(min, 100));
		expect(gaps(sent)[0]).toBeLessThanOrEqual(max);
	});
});

test('a 429 about the request rate pauses all requests, one about job slots only returns to the caller', async () => {
	for (const return429 of [false, true]) {
		const clock = new VirtualClock();
		const client = new Client(new RateLimiter(clock, 60), clock, seeded(1));
		const limited = scripted(clock, [answer(429, undefined, { 'retry-after': '30' }), answer(200)]);
		const other = scripted(clock, [answer(200)]);
		const first = client.request(channelOf(limited.send), POST, { return429 });
		await clock.quiet();
		const started = clock.now();
		await clock.run(client.request(channelOf(other.send, 'execution 2'), GET));
		const waited = (other.sent[0]?.at ?? 0) - started;
		if (return429) expect(waited).toBe(0);
		else expect(waited).toBeGreaterThanOrEqual(30_000);
		await clock.run(first);
	}
});

test('an unknown outcome stays unknown, whatever the last response was', async () => {
	const { result } = await ask(POST, [LOST, answer(400)], WITH_KEY);
	expect(result).toMatchObject({ failure: { kind: 'status', status: 400, outcomeUnknown: true } });
});

test('retry: false sends a single request', async () => {
	expect((await ask(GET, [answer(503), answer(200)], { retry: false })).sent).toHaveLength(1);
});

test('maxAttempts ends earlier what is transient; a 429 is waited out', async () => {
	const options = { maxAttempts: 2 };
	expect((await ask(GET, [answer(503), answer(503), answer(200)], options)).sent).toHaveLength(2);
	const busy = await ask(GET, [answer(429), answer(429), answer(429), answer(200)], options);
	expect(busy.result.ok).toBe(true);
});

test('a success with an invalid body is a failure with the reason', async () => {
	const { result } = await ask(POST, [answer(202, { object: 'generation' })], {
		validate: () => 'the response has no id',
	});
	expect(result).toMatchObject({
		failure: { kind: 'badResponse', status: 202, problem: 'the response has no id' },
	});
});

test('cancelled in the queue or while it waits: nothing further is sent', async () => {
	const clock = new VirtualClock();
	const client = new Client(new RateLimiter(clock, 60), clock, seeded(1));
	const { send, sent } = scripted(clock, [LOST]);
	const cancelled = { ok: false, failure: { kind: 'cancelled' } };
	const gone = channelOf(send, 'a', AbortSignal.abort());
	expect(await clock.run(client.request(gone, GET))).toMatchObject(cancelled);
	expect(sent).toHaveLength(0);

	const abort = new AbortController();
	const waiting = client.request(channelOf(send, 'a', abort.signal), GET);
	await clock.quiet();
	const before = clock.now();
	abort.abort();
	expect(await clock.run(waiting)).toMatchObject(cancelled);
	expect(sent).toHaveLength(1);
	expect(clock.now()).toBe(before);
});

test('the Error shape is read without trusting it', () => {
	expect(errorOf(errorBody('No', { details: { field: 'prompt' } }))).toEqual({
		message: 'No',
		type: 'some_type',
		requestId: 'req_1',
		details: { field: 'prompt' },
	});
	const nothing = { message: undefined, type: undefined, requestId: undefined, details: undefined };
	for (const body of [
		undefined,
		null,
		'text',
		7,
		[],
		{},
		{ error: 'text' },
		{ error: { message: 5 } },
	]) {
		expect(errorOf(body)).toEqual(nothing);
	}
});

test('a send that throws, which none should, still releases the rate limiter', async () => {
	const clock = new VirtualClock();
	const client = new Client(new RateLimiter(clock, 1), clock, seeded(1));
	const broken = channelOf(async () => await Promise.reject(new TypeError('broken')));
	await expect(client.request(broken, GET)).rejects.toThrow('broken');
	const { send } = scripted(clock, [answer(200)]);
	expect((await clock.run(client.request(channelOf(send), GET))).ok).toBe(true);
});
