import type { RequestOptions } from '../../src/transport/client';
import { TOO_DEEP, TOO_LONG } from '../../src/base/values';
import type { SendResult, ApiRequest } from '../../src/base/types';
import { answer, channelOf, errorBody, LOST, scripted } from '../model/answers';
import { workspaceWith } from '../model/run';
import { VirtualClock } from '../model/virtualClock';

const GET: ApiRequest = { method: 'GET', path: '/generations/gen_1' };
const POST: ApiRequest = { method: 'POST', path: '/generations', body: {} };

/** A request, and the answers that it gets in turn, each after so many ms. */
async function ask(
	request: ApiRequest,
	answers: SendResult[],
	options: RequestOptions = {},
	tookMs = 0,
) {
	const clock = new VirtualClock();
	const { client } = workspaceWith(clock);
	const { send, sent } = scripted(clock, answers);
	const channel = channelOf(async (asked) => {
		await clock.sleep(tookMs);
		return await send(asked);
	});
	const result = await clock.run(client.request(channel, request, options));
	return { result, sent };
}

const WITH_KEY: RequestOptions = { replayable: true };

test.each([
	['503', answer(503)],
	['no response', LOST],
	['a page', answer(403, '<html>')],
])('%s: a GET is sent again, a POST without a key never', async (_name, fault) => {
	const good = answer(200);
	expect((await ask(GET, [fault, fault, good])).sent).toHaveLength(3);
	const bare = await ask(POST, [fault, good]);
	expect(bare.sent).toHaveLength(1);
	expect(bare.result.ok).toBe(false);
});

const UNREACHABLE: SendResult = { noResponse: 'ECONNREFUSED', unsent: 'connection' };

const CONFLICT = answer(409, errorBody('Conflict'));
const UNDER_WAY = answer(409, errorBody('A request with this key is in progress'));
const KEY_OF_OTHER = answer(409, errorBody('This key was used for another request'));
const TIMEOUT: SendResult = { noResponse: 'timeout' };
const MINUTES = 60_000;

/** For how long a request is tried again, in ms, and how often at most. */
test.each<
	[name: string, response: SendResult, forMs: number, times: number, waitTimeoutMs?: number]
>([
	['a connection that breaks', LOST, 90_000, 9],
	['a 409', CONFLICT, 30_000, 9],
	['a 409 that somebody waits for', CONFLICT, 30_000, 9, 20 * MINUTES],
	['a 409 that says that one is under way', UNDER_WAY, 90_000, 9],
	['the same that somebody waits for', UNDER_WAY, 20 * MINUTES, 50, 20 * MINUTES],
	['a 409 that says that the key is of another request', KEY_OF_OTHER, 0, 1, 20 * MINUTES],
	['no connection', UNREACHABLE, 30_000, 9],
	['no connection, waited for', UNREACHABLE, 30_000, 9, 20 * MINUTES],
	['a page with status 200', answer(200, '<html>'), 8_000, 5],
	['a 429', answer(429), 5 * MINUTES, 15],
	['a 429 that somebody waits for', answer(429), 20 * MINUTES, 50, 20 * MINUTES],
	['a refusal', answer(404), 0, 1],
	['an answer that nobody can read', answer(200, TOO_DEEP), 0, 1],
	['a fault that nobody can read', answer(502, TOO_LONG), 0, 1],
])('a request is tried under its key ever more rarely: %s', async (...row) => {
	const [, response, forMs, times, waitTimeoutMs] = row;
	const { sent } = await ask(POST, [response], { ...WITH_KEY, waitTimeoutMs });
	const [first, last] = [sent[0]?.at ?? NaN, sent.at(-1)?.at ?? NaN];
	expect(last - first).toBeLessThanOrEqual(forMs);
	expect(last - first).toBeGreaterThanOrEqual(forMs * 0.3);
	expect(sent.length).toBeLessThanOrEqual(times);
});

/** What a request may meet, and for how long it is sent again while it meets nothing else, in ms. */
const MET: Array<[name: string, response: SendResult, forMs: number]> = [
	['a connection that breaks', LOST, 20 * MINUTES],
	['a 429', answer(429), 20 * MINUTES],
	['no connection', UNREACHABLE, 30_000],
	['a page with status 200', answer(200, '<html>'), 8_000],
];

test.each(
	MET.flatMap((first) => MET.map((second) => [first[0], second[0], first, second] as const)),
)(
	'whoever meets several things in turn goes on as long as the longest allows: %s, %s',
	async (_first, _second, [, first, firstMs], [, second, secondMs]) => {
		const answers = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? first : second));
		const { sent } = await ask(POST, answers, { ...WITH_KEY, waitTimeoutMs: 20 * MINUTES });
		const triedMs = (sent.at(-1)?.at ?? NaN) - (sent[0]?.at ?? NaN);
		const longestMs = Math.max(firstMs, secondMs);
		expect(triedMs).toBeLessThanOrEqual(longestMs);
		expect(triedMs).toBeGreaterThanOrEqual(longestMs * 0.3);
	},
);

const BEGIN = new VirtualClock().monotonic();

/** What may still be under way when a request meets a 409, and for how long that is sent again, in ms. */
test.each<[name: string, before: SendResult[], options: RequestOptions, isOpen: boolean]>([
	['nothing', [], {}, false],
	['what was refused', [answer(429), answer(429)], {}, false],
	['an attempt without an answer', [LOST], {}, true],
	['a request of an earlier try', [], { outcomeOpen: true }, true],
	['a page', [answer(404, '<html>')], {}, true],
	['what an equal request has left open', [], { failingSince: BEGIN }, true],
])(
	'a 409 is repeated under its key for half a minute, or for Wait Timeout after %s, and is final or open then',
	async (_, before, options, isOpen) => {
		const more = { ...WITH_KEY, waitTimeoutMs: 20 * MINUTES, ...options };
		const { result, sent } = await ask(POST, [...before, CONFLICT], more);
		expect(result).toMatchObject({ failure: { status: 409, outcomeUnknown: isOpen } });
		const triedMs = (sent.at(-1)?.at ?? NaN) - (sent[0]?.at ?? NaN);
		if (isOpen) expect(triedMs).toBeGreaterThan(10 * MINUTES);
		else if (before.length === 0) expect(triedMs).toBeLessThanOrEqual(30_000);
	},
);

test('a 409 to a request without a key is final at once', async () => {
	const { result, sent } = await ask(POST, [CONFLICT], { waitTimeoutMs: 20 * MINUTES });
	expect(sent).toHaveLength(1);
	expect(result).toMatchObject({ failure: { status: 409, outcomeUnknown: false } });
});

const HOURS = 60 * MINUTES;

const ofModel = (model: string): ApiRequest => ({ ...POST, body: { mode: 'image', model } });

test.each<[string, between: SendResult | undefined, pauseMs: number, model: string, string?]>([
	['one right behind the other', undefined, 0, 'm', 'kind'],
	['with different models', undefined, 0, 'other', 'key'],
	['one hours after the other', undefined, 20 * HOURS, 'm', undefined],
	['an answer in between', answer(404), 0, 'm', undefined],
	['a 409 in between', CONFLICT, 0, 'm', undefined],
])('two requests given up without an answer are an outage: %s', async (...row) => {
	const [, between, pauseMs, model, outageOf] = row;
	const clock = new VirtualClock();
	const { client } = workspaceWith(clock);
	const ask = async (response: SendResult, of = 'm') => {
		const channel = channelOf(async () => response);
		return await clock.run(client.request(channel, ofModel(of), WITH_KEY));
	};
	expect(await ask(answer(503))).toMatchObject({ failure: { outageOf: undefined } });
	if (between) await ask(between);
	await clock.pass(pauseMs);
	expect(await ask(answer(503), model)).toMatchObject({ failure: { outageOf } });
});

test('two requests given up one behind the other are an outage, however long each hung', async () => {
	const clock = new VirtualClock();
	const { client } = workspaceWith(clock);
	const channel = channelOf(async () => {
		await clock.sleep(5 * MINUTES);
		return TIMEOUT;
	});
	const ask = async () => await clock.run(client.request(channel, POST, WITH_KEY));
	expect(await ask()).toMatchObject({ failure: { outageOf: undefined } });
	expect(await ask()).toMatchObject({ failure: { outageOf: 'kind' } });
});

test('two requests that fail side by side are no outage, if others are answered meanwhile', async () => {
	const clock = new VirtualClock();
	const { client } = workspaceWith(clock);
	const ask = async (response: SendResult) =>
		await client.request(
			channelOf(async () => response),
			POST,
			WITH_KEY,
		);
	const failing = [ask(answer(503)), ask(answer(503))];
	await clock.pass(MINUTES);
	await ask(answer(202, { id: 'gen_1' }));
	for (const result of await clock.run(Promise.all(failing)))
		expect(result).toMatchObject({ failure: { outageOf: undefined } });
});

test('a request that hangs is tried once more, however long that took', async () => {
	expect((await ask(POST, [TIMEOUT], WITH_KEY, 120_000)).sent).toHaveLength(2);
});

test.each([
	[LOST, { kind: 'noResponse', reason: 'ECONNRESET', outcomeUnknown: true }],
	[answer(429), { kind: 'status', status: 429, outcomeUnknown: false }],
	[answer(201, TOO_DEEP), { kind: 'badResponse', status: 201 }],
	[answer(400, TOO_DEEP), { kind: 'status', status: 400, outcomeUnknown: true }],
	// Also without a key.
	[UNREACHABLE, { kind: 'noResponse', outcomeUnknown: false, unsent: 'connection' }],
])('the failure says whether it may have been carried out: %j', async (response, failure) => {
	const options = response === UNREACHABLE ? {} : WITH_KEY;
	expect((await ask(POST, [response], options)).result).toMatchObject({ failure });
});

test('a key that expires while a request is tried could no longer settle what became of it: it is not sent again', async () => {
	let asked = 0;
	// Asked twice for each failed attempt: whether to wait for another, and before it goes out.
	const replayable = () => {
		asked += 1;
		return asked <= 3;
	};
	const { result, sent } = await ask(POST, [LOST, LOST, answer(202)], { replayable });
	expect(sent).toHaveLength(2);
	expect(result).toMatchObject({ failure: { kind: 'noResponse', outcomeUnknown: true } });
});

test.each([[answer(400)], [UNREACHABLE]])(
	'an unknown outcome stays unknown, whatever the last response was: %j',
	async (last) => {
		const { result } = await ask(POST, [LOST, last], WITH_KEY);
		expect(result).toMatchObject({ failure: { outcomeUnknown: true } });
	},
);

test('maxAttempts ends earlier what is transient; a 429 is waited out', async () => {
	const options = { maxAttempts: 2 };
	expect((await ask(GET, [answer(503), answer(503), answer(200)], options)).sent).toHaveLength(2);
	const busy = await ask(GET, [answer(429), answer(429), answer(429), answer(200)], options);
	expect(busy.result.ok).toBe(true);
});

test('cancelled in the queue or while it waits: nothing further is sent', async () => {
	const clock = new VirtualClock();
	const { client } = workspaceWith(clock);
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
