import type { ICredentialDataDecryptedObject, ICredentialTestFunctions } from 'n8n-workflow';
import { SCOPES } from '../../src/contract';
import { mediaGenApiTest } from '../../src/fields/credentialTest';
import { errorBody } from '../../testing/answers';

interface Asked {
	uri: string;
	headers: Record<string, string>;
	followRedirect: boolean;
}

type Answers = (path: string) => { statusCode: number; body?: unknown } | undefined;

async function tested(answers: Answers, data: Record<string, unknown> = {}) {
	const asked: Asked[] = [];
	const request = async (options: Asked) => {
		asked.push(options);
		const given = answers(new URL(options.uri).pathname.replace('/v1', ''));
		if (!given) throw new Error('getaddrinfo ENOTFOUND canary-key-123');
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
	(path) => ({ statusCode: paths.includes(path) ? 200 : 403 });

test('200: one request, with the key in the header and no redirect', async () => {
	const { status, asked } = await tested(() => ({ statusCode: 200 }));
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
	[429, 'OK', /successful/],
	[404, 'Error', /Nothing was found at the base URL/],
	[410, 'Error', /Nothing was found at the base URL/],
	[400, 'Error', /^The service refused the request as invalid\.$/],
	[500, 'Error', /^The service answered with status 500\.$/],
	[302, 'Error', /status 302/],
	[204, 'Error', /status 204/],
])('%i: %s', async (statusCode, status, message) => {
	expect(await tested(() => ({ statusCode }))).toMatchObject({
		status,
		message: expect.stringMatching(message),
	});
});

test('no answer: check the base URL', async () => {
	const { status, message, asked } = await tested(() => undefined);
	expect(status).toBe('Error');
	expect(message).toMatch(/^The base URL did not respond/);
	expect(asked).toHaveLength(1);
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
	const { status, message: said, asked } = await tested(() => ({ statusCode: 200 }), data);
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

test('spaces copied along with the key are not part of it', async () => {
	const { asked } = await tested(() => ({ statusCode: 200 }), { apiKey: ' canary-key-123\n' });
	expect(asked[0]?.headers.Authorization).toBe('Bearer canary-key-123');
});
