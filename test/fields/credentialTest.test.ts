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

const coded = (code: string) => Object.assign(new Error(`${code} canary-key-123`), { code });

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

const VOICES = { scopes: ['voices:read', 'voices:write'] };

test.each<[string, Answers, data: object, status: string, message: RegExp, requests: number]>([
	['any read scope will do', only('/models'), {}, 'OK', /successful/, 2],
	['also the last one tried', only('/webhooks'), {}, 'OK', /successful/, 8],
	['with no scope declared', only('/agents/runs'), { scopes: [] }, 'OK', /successful/, 7],
	['the declared ones come first', only('/voices'), VOICES, 'OK', /successful/, 1],
	['others than declared', only('/credits'), VOICES, 'Error', /none of the .*has credits:read/, 2],
	['no read scope', only(), {}, 'Error', /may read nothing.*active subscription.*says: No$/, 8],
	['an empty key', only(), { apiKey: ' \n' }, 'Error', /^The API key is empty: enter a key/, 0],
	[
		'no version',
		only(),
		{ baseUrl: 'https://a.b' },
		'Error',
		/in \/v1: write https:\/\/a.b\/v1$/,
		0,
	],
])(
	'a credential and how many requests it takes: %s',
	async (_name, answers, data, status, message, requests) => {
		const result = await tested(answers, { ...data });
		expect(result).toMatchObject({ status, message: expect.stringMatching(message) });
		expect(result.asked).toHaveLength(requests);
	},
);

test.each<[Answered, status: string, message: RegExp]>([
	[
		{ statusCode: 401, body: errorBody('Key canary-key-123 is revoked') },
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
	[coded('ECONNREFUSED'), 'Error', /cannot be reached \(ECONNREFUSED\)\. Check the base URL/],
	[coded('CERT_HAS_EXPIRED'), 'Error', /certificate .* not accepted \(CERT_HAS_EXPIRED\)\. Check/],
])('%j ends the test after one request: %s', async (answer, status, message) => {
	const result = await tested(() => answer);
	expect(result).toMatchObject({ status, message: expect.stringMatching(message) });
	expect(result.asked).toHaveLength(1);
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
