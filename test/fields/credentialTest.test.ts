import type { ICredentialDataDecryptedObject, ICredentialTestFunctions } from 'n8n-workflow';
import { SCOPES } from '../../src/contract';
import { mediaGenApiTest } from '../../src/fields/credentialTest';
import { toNoResponse, wordsOfNoResponse } from '../../src/service/network';
import { errorBody } from '../model/answers';

interface Asked {
	uri: string;
	headers: Record<string, string>;
	followRedirect: boolean;
}

type Answered = { statusCode: number; body?: unknown } | Error;

type Answers = (path: string) => Answered | Promise<Answered>;

/** What the service answers with, as far as a node looks at it. */
const whole = (path: string) =>
	path === '/credits' || path === '/usage' ? { balance: 5 } : { object: 'list', data: [] };

async function tested(answers: Answers, data: Record<string, unknown> = {}) {
	const asked: Asked[] = [];
	const request = async (options: Asked) => {
		asked.push(options);
		const given = await answers(new URL(options.uri).pathname.replace('/v1', ''));
		if (given instanceof Error) throw given;
		return given;
	};
	const context = { helpers: { request } } as unknown as ICredentialTestFunctions;
	const credential = {
		apiKey: 'canary-key-123',
		baseUrl: 'https://api.example/v1',
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
	return { ...result, asked };
}

const only =
	(...paths: string[]): Answers =>
	(path) =>
		paths.includes(path)
			? { statusCode: 200, body: whole(path) }
			: { statusCode: 403, body: errorBody('No') };

/** Answers all alike. */
const all =
	(statusCode: number, body?: unknown): Answers =>
	() => ({ statusCode, body });

test('200: one request, with the key in the header and no redirect', async () => {
	const { status, asked } = await tested(only('/credits'));
	expect(status).toBe('OK');
	expect(asked).toHaveLength(1);
	expect(asked[0]).toMatchObject({
		uri: 'https://api.example/v1/credits',
		headers: { Authorization: 'Bearer canary-key-123' },
		followRedirect: false,
	});
});

test('401: the key is invalid, after one request, with the words of the service', async () => {
	const { status, message, asked } = await tested(() => ({
		statusCode: 401,
		body: errorBody('Key canary-key-123 is revoked'),
	}));
	expect(status).toBe('Error');
	expect(message).toBe('The API key is invalid. The service says: Key *** is revoked');
	expect(asked).toHaveLength(1);
});

test('a key works with whatever read scope it has', async () => {
	for (const path of [
		'/models',
		'/generations',
		'/usage',
		'/voices',
		'/personas',
		'/agents/runs',
		'/webhooks',
	]) {
		expect((await tested(only(path))).status).toBe('OK');
	}
});

test('the declared scopes are tried first', async () => {
	const { status, asked } = await tested(only('/voices'), {
		scopes: ['voices:read', 'voices:write'],
	});
	expect(status).toBe('OK');
	expect(asked).toHaveLength(1);
});

test('a valid key with other scopes than declared is reported', async () => {
	const { status, message } = await tested(only('/credits'), { scopes: ['voices:read'] });
	expect(status).toBe('Error');
	expect(message).toMatch(/none of the read scopes chosen.*it has credits:read/);
});

test('403 for all: no read scope, or no entitlement', async () => {
	const { status, message, asked } = await tested(() => ({
		statusCode: 403,
		body: errorBody('No subscription'),
	}));
	expect(status).toBe('Error');
	expect(message).toMatch(
		/may read nothing.*active subscription.*The service says: No subscription$/,
	);
	expect(new Set(asked.map(({ uri }) => uri)).size).toBe(8);
});

test.each([
	[429, errorBody('Slow down'), 'OK', /successful/],
	[429, undefined, 'Error', /^Too many requests at the moment/],
	[404, undefined, 'Error', /^Nothing was found at the base URL/],
	[410, '<html>', 'Error', /^Nothing was found at the base URL/],
	[400, undefined, 'Error', /^The service refused the request as invalid\. Correct/],
	[400, { error: 'no such version' }, 'Error', /The answer says: no such version\. Correct/],
	[
		401,
		'<title>Sign in</title>',
		'Error',
		/^A proxy .* \(status 401\)\. The answer says: Sign in\. /,
	],
	[403, '<html>Blocked</html>', 'Error', /^A proxy or another server answered .* \(status 403\)\./],
	[407, '', 'Error', /^A proxy between n8n and the service wants a sign-in/],
	[500, undefined, 'Error', /^The service answered with status 500\. Try again later/],
	[302, undefined, 'Error', /status 302/],
	[204, undefined, 'Error', /status 204/],
	[200, undefined, 'Error', /status 200\): the response is empty, not a JSON object/],
	[200, '<html>Sign in</html>', 'Error', /status 200\): the response is a web page, not a JSON/],
	[200, [], 'Error', /status 200\): the response is a JSON list, not a JSON object/],
	[200, 'true', 'Error', /the response is a JSON boolean, not a JSON object/],
	[200, '\ufeff{"balance": 5}', 'OK', /successful/],
])('%i with %j: %s, after one request', async (statusCode, body, status, message) => {
	const result = await tested(all(statusCode, body));
	expect(result).toMatchObject({ status, message: expect.stringMatching(message) });
	expect(result.asked).toHaveLength(1);
});

const coded = (code: string) => Object.assign(new Error(`${code} canary-key-123`), { code });

test.each([
	['ECONNREFUSED', 'The service cannot be reached (ECONNREFUSED). Check the base URL'],
	['ENOTFOUND', 'The service cannot be reached (ENOTFOUND). Check the base URL'],
	['ETIMEDOUT', 'The service did not respond (timeout). Check the base URL'],
	['CERT_HAS_EXPIRED', 'The certificate of the service is not accepted (CERT_HAS_EXPIRED). Check'],
	['DEPTH_ZERO_SELF_SIGNED_CERT', 'The certificate of the service is not accepted'],
])('without an answer it says what a node says: %s', async (code, words) => {
	const { status, message, asked } = await tested(() => coded(code));
	expect(status).toBe('Error');
	expect(message).toContain(words);
	expect(asked).toHaveLength(1);
	const [happened, todo] = wordsOfNoResponse(toNoResponse(coded(code)));
	expect(message).toBe(`${happened}. ${todo}`);
});

test('all requests together have 20 s', async () => {
	const deadline = new AbortController();
	const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal);
	try {
		const { message } = await tested(async () => {
			deadline.abort(new Error('late'));
			return await new Promise(() => {});
		});
		expect(message).toMatch(/^The service did not respond \(timeout\)/);
		expect(timeout.mock.calls).toEqual([[20_000]]);
	} finally {
		timeout.mockRestore();
	}
});

test.each<[ICredentialDataDecryptedObject, RegExp]>([
	[{ apiKey: '' }, /^The API key is empty: enter a key/],
	[{ apiKey: ' \n' }, /^The API key is empty: enter a key/],
	[{ apiKey: 'canary\nkey' }, /^The API key contains a blank or a line break/],
	[{ baseUrl: '' }, /^The base URL is empty: write the address/],
	[{ baseUrl: 'https://api.example' }, /must end in \/v1: write https:\/\/api.example\/v1$/],
	[{ baseUrl: 'http://api.example/v1' }, /must begin with https/],
	[{ baseUrl: 'https://user:pass@api.example/v1' }, /must not contain a user name/],
])('nothing is sent with %j', async (data, message) => {
	const { status, message: said, asked } = await tested(only('/credits'), data);
	expect(status).toBe('Error');
	expect(said).toMatch(message);
	expect(asked).toHaveLength(0);
});

test.each([[undefined], [[]]])(
	'a credential without a limit to scopes (%j) is tested too',
	async (scopes) => {
		const { status, asked } = await tested(only('/models'), { scopes });
		expect(status).toBe('OK');
		expect(asked[0]?.uri).toBe('https://api.example/v1/credits');
	},
);
