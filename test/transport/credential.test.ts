import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';
import { readCredential, type Access } from '../../src/transport/credential';
import { SCOPES } from '../../src/api';
import { authenticate } from '../../src/n8n/authenticate';

const KEY = 'canary-key-123';
const credential = { apiKey: ` ${KEY}\n`, baseUrl: 'https://api.example/media/v1' };

const put = async (options: Record<string, unknown>, more: ICredentialDataDecryptedObject = {}) =>
	await authenticate({ ...credential, ...more }, options as unknown as IHttpRequestOptions);

describe('the key', () => {
	test.each([
		[{ url: '/generations', baseURL: 'https://api.example/media/v1' }],
		[{ url: 'https://api.example/media/v1/generations?limit=1' }],
		[{ url: 'https://API.example:443/media/v1' }],
		[{ uri: 'https://api.example/media/v1/models' }],
	])('goes to the base URL, trimmed, onto the very request: %j', async (options) => {
		const headers = { 'x-own': '1' };
		const request = { ...options, headers };
		expect(await put(request)).toBe(request);
		expect(headers).toEqual({ 'x-own': '1', Authorization: `Bearer ${KEY}` });
	});

	test.each([
		['another host', { url: 'https://evil.example/media/v1/x' }],
		['another port', { url: 'https://api.example:8443/media/v1/x' }],
		['a user name that looks like it', { url: 'https://api.example@evil.example/media/v1' }],
		['a path that begins alike', { url: 'https://api.example/media/v1evil' }],
		['a path that climbs out', { url: 'https://api.example/media/v1/../../other' }],
		[
			'an absolute path with a base',
			{ url: 'https://evil.example/x', baseURL: credential.baseUrl },
		],
		['an address without a scheme', { url: '//evil.example/x', baseURL: credential.baseUrl }],
		['another base', { url: '/x', baseURL: 'https://evil.example/media/v1' }],
		['nothing', {}],
	])('does not go to %s', async (_name, options) => {
		const headers: Record<string, string> = {};
		await expect(put({ ...options, headers })).rejects.toThrow(
			/^The API key is sent to the base URL of its credential only/,
		);
		expect(headers).toEqual({});
	});
});

/** What a credential says that has no problem. */
function accessOf(more: object): Access {
	const read = readCredential({ ...credential, ...more });
	if (read.problem !== undefined) throw new Error(read.problem);
	return read;
}

const read = (apiKey: unknown) => readCredential({ ...credential, apiKey } as typeof credential);

test.each([
	`"${KEY}"`,
	`bearer  ${KEY}`,
	`Authorization: Bearer ${KEY}`,
	`export MEDIAGEN_API_KEY="${KEY}"`,
	`\u200b${KEY}\ufeff`,
])('what is copied along with a key is taken off: %j', async (apiKey) => {
	expect(read(apiKey)).toMatchObject({ baseUrl: credential.baseUrl, apiKey: KEY });
	const { headers } = await put({ url: credential.baseUrl }, { apiKey });
	expect(headers).toEqual({ Authorization: `Bearer ${KEY}` });
});

test.each([
	['', /^is empty/],
	['my key', /^contains a blank/],
	['schlüssel', /^contains a character that no key has/],
	[7, /^is empty/],
])('a key like %p: %p', (apiKey, problem) => {
	expect(read(apiKey)).toMatchObject({ field: 'API Key', problem });
});

test('no problem of a key shows any of it', () => {
	expect(JSON.stringify(read(`${KEY} and more`))).not.toContain('canary');
});

describe('a limit to scopes', () => {
	test.each([[undefined], [null], [''], [[]]])('like %j is none', (scopes) => {
		expect(accessOf({ scopes }).excludedScopes).toEqual([]);
	});

	test.each([`generations:read ${KEY}`, '["generations:read"]', { scope: 'files:write' }, true, 0])(
		'that is no list is an error which says what to enter, and nothing of it: %j',
		async (scopes) => {
			const data = { ...credential, scopes } as unknown as ICredentialDataDecryptedObject;
			const { field, problem } = readCredential(data) as { field: string; problem: string };
			expect(field).toBe('Scopes of the Key');
			expect(problem).toMatch(/^must be a list, such as \["generations:write"/);
			expect(problem).not.toContain(KEY);
			await expect(put({ url: credential.baseUrl }, data)).rejects.toThrow(
				/^The field Scopes of the Key of the credential must be a list/,
			);
		},
	);

	test('excludes the scopes that it does not hold', () => {
		const scopes = SCOPES.filter((scope) => scope !== 'files:write');
		expect(accessOf({ scopes }).excludedScopes).toEqual(['files:write']);
		const { excludedScopes } = accessOf({ scopes: ['files:write'] });
		expect(excludedScopes).toEqual(scopes);
	});
});

const limitsOf = (more: object) => accessOf(more).limits;

test('the limits are those of the credential, or the defaults if it has none that are usable', () => {
	expect(limitsOf({ requestsPerMinute: 600, concurrentJobs: '20' })).toEqual({
		requestsPerMinute: 600,
		concurrentJobs: 20,
	});
	for (const odd of [-1, 0, 'many'])
		expect(limitsOf({ requestsPerMinute: odd, concurrentJobs: odd })).toEqual({
			requestsPerMinute: 60,
			concurrentJobs: 5,
		});
});

test.each([
	[2.5, 2],
	['59.99', 59],
	[1.999, 1],
	// Less than one would let nothing through.
	[0.5, 1],
])('a limit of %p is %p: a fraction is rounded down', (given, limit) => {
	expect(limitsOf({ requestsPerMinute: given, concurrentJobs: given })).toEqual({
		requestsPerMinute: limit,
		concurrentJobs: limit,
	});
});
