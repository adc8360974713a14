import type { ICredentialDataDecryptedObject, ICredentialTestFunctions } from 'n8n-workflow';
import type nock from 'nock';
import { SCOPES } from '../../src/api';
import { mediaGenApiTest } from '../../src/n8n/credentialTest';
import { errorBody } from '../model/answers';
import { n8nHttp } from './support/n8nHttp';
import { BASE_URL, keyOfThisTest, overTheWire, sent, service } from './support/wire';

overTheWire();

interface Answered {
	statusCode: number;
	body?: unknown;
	headers?: nock.ReplyHeaders;
}

type Answers = (path: string) => Answered;

/** What the service answers with, as far as a node looks at it. */
const whole = (path: string) =>
	path === '/credits' || path === '/usage' ? { balance: 5 } : { object: 'list', data: [] };

/** The test of a credential, as n8n calls it. Everything that it asks for is answered beforehand. */
async function tested(data: Record<string, unknown> = {}) {
	const context = { helpers: n8nHttp } as unknown as ICredentialTestFunctions;
	const credential = {
		apiKey: keyOfThisTest(),
		baseUrl: BASE_URL,
		scopes: [...SCOPES],
		...data,
	};
	const result = await mediaGenApiTest.call(context, {
		id: '1',
		name: 'x',
		type: 'mediaGenApi',
		data: credential as ICredentialDataDecryptedObject,
	});
	expect(JSON.stringify(result)).not.toContain('canary');
	return result;
}

/** The service answers every request like this. */
function answering(answers: Answers): void {
	const scope = service().persist().get(/./);
	scope.reply((uri) => {
		const { statusCode, body, headers } = answers(uri.replace('/media/v1', ''));
		return [statusCode, body as nock.Body, headers ?? {}];
	});
}

const only =
	(...paths: string[]): Answers =>
	(path) =>
		paths.includes(path)
			? { statusCode: 200, body: whole(path) }
			: { statusCode: 403, body: errorBody('No') };

test('one request, with the key in the header', async () => {
	answering(only('/credits'));
	expect(await tested()).toMatchObject({ status: 'OK' });
	expect(sent()).toEqual([
		{
			method: 'GET',
			url: `${BASE_URL}/credits`,
			headers: {
				accept: 'application/json',
				'accept-encoding': 'gzip, compress, deflate, br',
				authorization: `Bearer ${keyOfThisTest()}`,
				connection: 'close',
				host: 'api.example',
				'user-agent': 'n8n',
			},
			body: '',
		},
	]);
});

const VOICES = { scopes: ['voices:read', 'voices:write'] };

test.each<[string, Answers, data: object, status: string, message: RegExp, requests: number]>([
	['any read scope will do', only('/models'), {}, 'OK', /successful/, 2],
	['also the last one tried', only('/webhooks'), {}, 'OK', /successful/, 8],
	['with no scope declared', only('/agents/runs'), { scopes: [] }, 'OK', /successful/, 7],
	['the declared ones come first', only('/voices'), VOICES, 'OK', /successful/, 1],
	['others than declared', only('/credits'), VOICES, 'Error', /none of the .*has credits:read/, 2],
	['no read scope', only(), {}, 'Error', /may read nothing.*active subscription.*says: No$/, 8],
])(
	'a credential and how many requests it takes: %s',
	async (_name, answers, data, status, message, requests) => {
		answering(answers);
		const result = await tested({ ...data });
		expect(result).toMatchObject({ status, message: expect.stringMatching(message) });
		expect(sent()).toHaveLength(requests);
	},
);

test.each(['/models', '/generations', '/voices', '/personas', '/agents/runs', '/webhooks'])(
	'what only looks like a list is none of the service: %s',
	async (path) => {
		answering((asked) =>
			asked === path ? { statusCode: 200, body: { data: [] } } : only('')(asked),
		);
		expect(await tested()).toMatchObject({
			status: 'Error',
			message: expect.stringMatching(/not a list of the API\. Check that the base URL/),
		});
	},
);

test.each<[string, data: object, message: RegExp]>([
	['an empty key', { apiKey: ' \n' }, /^The API key is empty: enter a key/],
	[
		'something after the version',
		{ baseUrl: 'https://a.b/v1/x' },
		/in \/v1: write https:\/\/a.b\/v1$/,
	],
])('a credential for which nothing is sent: %s', async (_name, data, message) => {
	const result = await tested({ ...data });
	expect(result).toMatchObject({ status: 'Error', message: expect.stringMatching(message) });
	expect(sent()).toEqual([]);
});

test.each<[Answered, status: string, message: RegExp]>([
	[
		{ statusCode: 401, body: errorBody('Key canary-key is revoked') },
		'Error',
		/invalid\. .* Key \*\*\* is revoked$/,
	],
	[{ statusCode: 429, body: errorBody('Slow down') }, 'OK', /successful/],
	[
		{ statusCode: 400, body: { error: 'no such version' } },
		'Error',
		/says: no such version\. Corr/,
	],
	[
		{ statusCode: 401, body: '<title>Sign in</title>' },
		'Error',
		/^A proxy .* \(status 401\)\. The answer says: Sign in\. /,
	],
	[{ statusCode: 500 }, 'Error', /^The service answered with status 500\. Try again later/],
	[
		{ statusCode: 200, body: '<html>Sign in</html>' },
		'Error',
		/status 200\): .* a web page, not a /,
	],
	[{ statusCode: 200, body: '\ufeff{"balance": 5}' }, 'OK', /successful/],
	[
		{ statusCode: 307, headers: { Location: 'https://evil.example/v1/credits?key=1' } },
		'Error',
		/^The service answered with status 307, which leads to https:\/\/evil\.example\/v1\/credits\. If that is the address of the API, enter https:\/\/evil\.example\/v1 as the base URL/,
	],
	[
		{ statusCode: 302, headers: { Location: '/login' } },
		'Error',
		/^The service answered with status 302, which leads to \/login\. Check the base URL of the/,
	],
	...[
		{ hello: 'world' },
		{ status: 'ok', mode: 'live', uptime: 12 },
		{ image: 'registry.example/app:1', credits: 'see the docs' },
	].map((body): [Answered, string, RegExp] => [
		{ statusCode: 200, body },
		'Error',
		/a JSON object, but none of the API/,
	]),
	...[
		{ available: 250 },
		{ data: { credits: { remaining: '12.5' } } },
		{ image: { jobs: 3 }, audio: null },
	].map((body): [Answered, string, RegExp] => [{ statusCode: 200, body }, 'OK', /successful/]),
	[
		{ statusCode: 200, body: { balance: 5, error: { message: 'Suspended' } } },
		'Error',
		/^The service answered with status 200, but with an error: Suspended/,
	],
	[
		{
			statusCode: 400,
			body: { error: { message: 'Invalid', details: [{ field: 'x', message: 'No' }] } },
		},
		'Error',
		/says: Invalid: x: No\./,
	],
])('%j ends the test after one request: %s', async (answer, status, message) => {
	const said = JSON.stringify(answer.body ?? '').replace('canary-key', keyOfThisTest());
	answering(() => ({ ...answer, body: JSON.parse(said) as unknown }));
	const result = await tested();
	expect(result).toMatchObject({ status, message: expect.stringMatching(message) });
	expect(sent()).toHaveLength(1);
});

test.each([
	['ECONNREFUSED', /cannot be reached \(ECONNREFUSED\)\. Check the base URL/],
	['CERT_HAS_EXPIRED', /certificate .* not accepted \(CERT_HAS_EXPIRED\)\. Check/],
	['ECONNRESET', /^The service did not respond \(ECONNRESET\)\. Check the base URL/],
])('%s ends the test after one request', async (code, message) => {
	const error = Object.assign(new Error(`${code} ${keyOfThisTest()}`), { code });
	service().get('/credits').replyWithError(error);
	const result = await tested();
	expect(result).toMatchObject({ status: 'Error', message: expect.stringMatching(message) });
	expect(sent()).toHaveLength(1);
});

test('all requests together have 20 s', async () => {
	const deadline = new AbortController();
	const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal);
	let answer = () => {};
	const answered = new Promise<void>((resolve) => {
		answer = resolve;
	});
	const scope = service();
	const replied = new Promise((resolve) => scope.once('replied', resolve));
	scope.get('/credits').reply(async () => {
		deadline.abort(new Error('late'));
		await answered;
		return [200];
	});
	try {
		const { message } = await tested();
		expect(message).toMatch(/^The service did not respond \(timeout\)/);
		expect(timeout.mock.calls).toEqual([[20_000]]);
	} finally {
		timeout.mockRestore();
		answer();
		await replied;
	}
});
