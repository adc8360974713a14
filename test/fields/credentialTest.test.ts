import type { ICredentialDataDecryptedObject, ICredentialTestFunctions } from 'n8n-workflow';
import { SCOPES } from '../../src/contract';
import { mediaGenApiTest } from '../../src/fields/credentialTest';
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

test('one request, with the key in the header and no redirect', async () => {
	const { status, asked } = await tested(only('/credits'));
	expect(status).toBe('OK');
	expect(asked).toMatchObject([
		{
			uri: 'https://api.example/v1/credits',
			headers: { Authorization: 'Bearer canary-key-123' },
			followRedirect: false,
		},
	]);
});

test.each(['/models', '/agents/runs', '/webhooks'])(
	'a key works with whatever read scope it has, also where the credential names none: %s',
	async (path) => {
		expect((await tested(only(path))).status).toBe('OK');
		expect((await tested(only(path), { scopes: [] })).status).toBe('OK');
	},
);

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
	[401, errorBody('Key canary-key-123 is revoked'), 'Error', /invalid\. .* Key \*\*\* is revoked$/],
	[429, errorBody('Slow down'), 'OK', /successful/],
	[400, { error: 'no such version' }, 'Error', /The answer says: no such version\. Correct/],
	[
		401,
		'<title>Sign in</title>',
		'Error',
		/^A proxy .* \(status 401\)\. The answer says: Sign in\. /,
	],
	[500, undefined, 'Error', /^The service answered with status 500\. Try again later/],
	[200, '<html>Sign in</html>', 'Error', /status 200\): the response is a web page, not a JSON/],
	[200, '\ufeff{"balance": 5}', 'OK', /successful/],
])('%i with %j: %s, after one request', async (statusCode, body, status, message) => {
	const result = await tested(() => ({ statusCode, body }));
	expect(result).toMatchObject({ status, message: expect.stringMatching(message) });
	expect(result.asked).toHaveLength(1);
});

const coded = (code: string) => Object.assign(new Error(`${code} canary-key-123`), { code });

test.each([
	['ECONNREFUSED', 'The service cannot be reached (ECONNREFUSED). Check the base URL'],
	['CERT_HAS_EXPIRED', 'The certificate of the service is not accepted (CERT_HAS_EXPIRED). Check'],
])('without an answer it says what happened: %s', async (code, words) => {
	const { status, message, asked } = await tested(() => coded(code));
	expect(status).toBe('Error');
	expect(message).toContain(words);
	expect(asked).toHaveLength(1);
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
	[{ apiKey: ' \n' }, /^The API key is empty: enter a key/],
	[{ baseUrl: 'https://api.example' }, /must end in \/v1: write https:\/\/api.example\/v1$/],
])('nothing is sent with %j', async (data, message) => {
	const { status, message: said, asked } = await tested(only('/credits'), data);
	expect(status).toBe('Error');
	expect(said).toMatch(message);
	expect(asked).toHaveLength(0);
});
