import {
	errorOf,
	isAnswerOfService,
	isOutcomeUnknown,
	meaningOf,
	ofStorage,
	retryReason,
} from '../../src/transport/statuses';
import type { SendResult } from '../../src/base/types';
import { answer, errorBody, LOST } from '../model/answers';

const ALL = Array.from({ length: 300 }, (_, index) => 300 + index);

const those = (isMeant: (status: number) => boolean) => ALL.filter(isMeant);

const from500 = those((status) => status >= 500);

/** The network itself wants a sign-in. */
const without511 = from500.filter((status) => status !== 511);

test('which prove that nothing was done, and which concern all items of a run', () => {
	// A 422 is a refusal, but in no contract.
	expect(those((status) => meaningOf(status).nothingDone)).toEqual([
		400, 401, 402, 403, 404, 407, 429, 511,
	]);
	expect(those((status) => meaningOf(status).concernsOthers !== undefined)).toEqual([
		401, 402, 403, 407, 429, 511,
	]);
});

test('what the service refuses with a 4xx of its own: all but those that leave open what was done', () => {
	const said = errorOf(errorBody('No'));
	expect(those((status) => meaningOf(status, said).refusal !== undefined)).toEqual(
		those((status) => status >= 400 && status < 500 && ![407, 408, 425].includes(status)),
	);
	const withoutType = errorOf({ error: { message: 'No' } });
	expect(those((status) => meaningOf(status, withoutType).refusal !== undefined)).toEqual([
		400, 401, 402, 403, 404, 422, 429,
	]);
});

const PAGE = '<html>Sign in</html>';

test('why the same request is tried again, by status: as the service says it, and as a page', () => {
	const by = (reason: string, body?: unknown) =>
		those((status) => retryReason(answer(status, body)) === reason);
	const unnamed3xx = those((status) => status < 400);
	expect(by('throttled')).toEqual([429]);
	expect(by('transient')).toEqual([408, 425, ...without511]);
	expect(by('conflict')).toEqual([409]);
	expect(by('foreign')).toEqual(unnamed3xx);
	const not = [407, 408, 409, 425, 429];
	expect(by('foreign', PAGE)).toEqual(those((status) => status < 500 && !not.includes(status)));
	expect(by('transient', PAGE)).toEqual([408, 409, 425, ...without511]);
});

test.each<[response: SendResult, reason: string | undefined, isOfService: boolean]>([
	[LOST, 'transient', false],
	[{ noResponse: 'ENOTFOUND', unsent: 'connection' }, 'unreachable', false],
	[{ noResponse: 'x', unsent: 'local' }, undefined, false],
	[{ noResponse: 'x', unsent: 'certificate' }, undefined, false],
	[answer(200, '{"id": "gen'), 'foreign', false],
	[answer(200, PAGE), 'foreign', false],
	[answer(200, ['x']), 'foreign', false],
	[answer(199, ''), 'foreign', false],
	[answer(301, errorBody('Moved')), 'foreign', false],
	[answer(400), undefined, true],
	[answer(401, PAGE), 'foreign', false],
	[answer(404, { error: { message: 'no type' } }), 'foreign', false],
	[answer(502), 'transient', false],
])(
	'%j: tried again as %s, an answer of the service: %s; nobody knows what was done where there was none or a foreign one',
	(response, reason, isOfService) => {
		expect(retryReason(response)).toBe(reason);
		expect(isOutcomeUnknown(response)).toBe(reason === 'transient' || reason === 'foreign');
		expect(isAnswerOfService(response)).toBe(isOfService);
	},
);

test.each<[says: string, reason: string | undefined, said: unknown[]]>([
	[
		'that one is under way, or not who says so',
		'transient',
		[
			errorBody('A request with this key is in progress'),
			errorBody('Another request with this key is still being processed'),
			errorBody('A different request is using this key, try again later'),
			{ error: { type: 'idempotency_key_in_use', message: 'Conflict' } },
			{ error: { type: 'request_in_progress', message: 'Conflict' } },
			'<html>Used for another request</html>',
			{ message: 'Conflict' },
			'',
			errorBody('Another request with this idempotency key is pending'),
			errorBody('Another request with the same key has not completed yet'),
			errorBody('Another request with this Idempotency-Key is currently executing'),
			errorBody('A different request holds the lock on this key, wait'),
			errorBody('another request with this key is in-progress'),
			errorBody('A request with the same key is outstanding'),
			errorBody('The first request is still in flight'),
			errorBody('This key is used by another request, which is in progress'),
		],
	],
	[
		'nothing of why',
		'conflict',
		[
			errorBody('Conflict'),
			errorBody('No'),
			errorBody('Another request with this key was received'),
			{ error: { type: 'idempotency_conflict', message: 'Conflict' } },
		],
	],
	[
		'that the key is of another request',
		undefined,
		[
			errorBody('The key was used for another request'),
			errorBody('A request with different parameters. Please retry with a new key'),
			errorBody('This key is still bound to a different payload'),
			errorBody('Idempotency-Key was already used with different parameters'),
			errorBody('The body does not match the first request with this key'),
			{ error: { type: 'idempotency_key_reused', message: 'Conflict' } },
		],
	],
])('409 is in no contract; it says %s: tried again as %s', (_, reason, said) => {
	const reasons = (isOpen: boolean) =>
		said.map((body) => [body, retryReason(answer(409, body), isOpen)]);
	const all = (expected: string | undefined) => said.map((body) => [body, expected]);
	expect(reasons(false)).toEqual(all(reason));
	expect(reasons(true)).toEqual(all(reason && 'transient'));
	for (const body of said) {
		expect(isOutcomeUnknown(answer(409, body))).toBe(reason === 'transient');
		expect(isOutcomeUnknown(answer(409, body), true)).toBe(reason !== undefined);
		expect(meaningOf(409, errorOf(body)).nothingDone).toBe(reason === undefined);
	}
});

test('a success with an object is an answer of the service', () => {
	expect(isAnswerOfService(answer(200, { id: 'x' }))).toBe(true);
});

test('a foreign page says nothing of the key, the credits or the request', () => {
	for (const status of ALL.filter((one) => ![407, 429, 511].includes(one))) {
		const { kind, refusal, nothingDone, concernsOthers } = meaningOf(status, errorOf(PAGE));
		expect(kind).toBe('foreign');
		expect([refusal, nothingDone, concernsOthers]).toEqual([undefined, false, undefined]);
	}
});

test.each([
	[{ error: 'no such model' }, 'no such model'],
	[{ error: 'invalid_request', error_description: 'The size is wrong' }, 'The size is wrong'],
	[{ detail: [{ loc: ['body'], msg: 'field required', type: 'x' }] }, 'field required'],
	[{ errors: [{}, { message: 'too long' }] }, 'too long'],
	['<html><title>Sign in</title><body>x</body></html>', 'Sign in'],
	[{ code: 7 }, undefined],
	[{ error: { error: { error: { error: { error: 'deep' } } } } }, undefined],
])('what %j says is %p, and none of it is taken for the service', (body, message) => {
	const said = errorOf(body);
	expect(said.message).toBe(message);
	expect(said.type).toBeUndefined();
	expect(isAnswerOfService(answer(400, body))).toBe(false);
});

test('a message is one line of at most 300 characters, without markup and signatures', () => {
	const long = errorOf(errorBody('x'.repeat(200_000))).message ?? '';
	expect(long).toBe(`${'x'.repeat(299)}…`);
	expect(errorOf({ error: '<b>No</b>\n  <p class="x">picture < 5 MB' }).message).toBe(
		'No picture < 5 MB',
	);
	const signed = 'cannot read https://a.example/b.png?X-Signature=canary, really';
	expect(errorOf({ error: signed }).message).toBe('cannot read https://a.example/b.png?… really');
	// A regular expression that backtracks would keep all of n8n for minutes here.
	const began = performance.now();
	for (const odd of ['<', '<a', '<!--', 'https://', ' ', '<style>'])
		errorOf({ error: odd.repeat(100_000) });
	expect(performance.now() - began).toBeLessThan(10_000);
});

test('what the storage of a file says is read otherwise: it is not the service', () => {
	expect(those((status) => ofStorage(status, '') === 'again')).toEqual([408, 429, ...from500]);
	expect(those((status) => ofStorage(status, '') === 'newAddress')).toEqual([
		401, 403, 404, 409, 410, 412,
	]);
});

test.each([
	[[{ field: 'prompt', message: 'is too long' }], 'prompt: is too long'],
	[{ issues: [{ path: ['body', 'prompt'], msg: 'is too long' }] }, 'body.prompt: is too long'],
	[{ prompt: ['is too long', 'is rude'] }, 'prompt: is too long'],
	[{ fields: { prompt: 'is too long' } }, 'prompt: is too long'],
	['is too long', 'is too long'],
	[{ code: 'E1', request_id: 'x', balance: 0 }, undefined],
	[{}, undefined],
	[undefined, undefined],
])('a general sentence is shown with the first particular of %j', (details, particular) => {
	const { message } = errorOf({ error: { type: 'x', message: 'Validation failed.', details } });
	expect(message).toBe(particular ? `Validation failed: ${particular}` : 'Validation failed.');
	const named = errorOf({ error: { type: 'x', message: 'prompt is too long', details } });
	if (particular) expect(named.message).toBe('prompt is too long');
});
