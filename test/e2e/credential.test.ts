import { credentialData } from '../../lab/n8n/credential';
import { baseUrl, credentials, keys, rest, sandbox } from './support/harness';

beforeEach(async () => await sandbox.reset());

describe('the connection test of the credential', () => {
	it('passes for a key with all scopes', async () => {
		expect(await rest.credentials.test(credentials.full)).toMatchObject({ status: 'OK' });
	});

	it('passes for a key that may only read', async () => {
		expect(await rest.credentials.test(credentials.readOnly)).toMatchObject({ status: 'OK' });
	});

	it('detects a wrong key', async () => {
		const { status, message } = await rest.credentials.test(credentials.wrongKey);
		expect([status, message]).toEqual(['Error', expect.stringMatching(/^The API key is invalid/)]);
	});

	it('detects a missing entitlement', async () => {
		const { status, message } = await rest.credentials.test(credentials.notEntitled);
		expect(status).toBe('Error');
		expect(message).toMatch(/no API access, which needs an active subscription/);
	});

	it('detects a missing scope, and names one that the key has', async () => {
		const apiKey = await sandbox.addKey(keys.full.workspace, ['voices:read']);
		const declared = credentialData({
			apiKey,
			baseUrl,
			scopes: ['models:read', 'generations:write'],
		});
		const { status, message } = await rest.credentials.test(credentials.full, declared);
		expect(status).toBe('Error');
		expect(message).toMatch(/has none of the read scopes chosen.*it has voices:read/);
	});

	it.each(['voices:read', 'webhooks:read', 'agents:read', 'usage:read'])(
		'passes for a key that has nothing but %s, when nothing is said of scopes',
		async (scope) => {
			const apiKey = await sandbox.addKey(keys.full.workspace, [scope]);
			const test = await rest.credentials.test(
				credentials.full,
				credentialData({ apiKey, baseUrl }),
			);
			expect(test).toMatchObject({ status: 'OK' });
		},
	);

	it('detects a base URL that is invalid, is not https, or leads elsewhere', async () => {
		const trial = async (url: string) =>
			(await rest.credentials.test(credentials.full, credentialData({ apiKey: 'k', baseUrl: url })))
				.message;
		expect(await trial('nonsense')).toMatch(/is not a complete address: write it in full/);
		expect(await trial('https://example.com')).toMatch(/write https:\/\/example\.com\/v1$/);
		// A slash at the end is taken off.
		expect(await trial(`${baseUrl}/`)).toMatch(/The API key is invalid/);
		expect(await trial('http://example.com/v1')).toMatch(/must begin with https/);
		expect(await trial('https://user:secret@example.com/v1')).toMatch(
			/must not contain a user name/,
		);
		expect(await trial(baseUrl.replace(/\/v1$/, '/v2'))).toMatch(
			/Nothing was found at the base URL/,
		);
	});
});
