import { credentialData } from '../../lab/n8n/credential';
import { baseUrl, credentials, keys, rest, sandbox } from './support/harness';

beforeEach(async () => await sandbox.reset());

describe('the connection test of the credential', () => {
	it('passes for a key with all scopes', async () => {
		expect(await rest.credentials.test(credentials.full)).toMatchObject({ status: 'OK' });
	});

	it('detects a wrong key', async () => {
		const { status, message } = await rest.credentials.test(credentials.wrongKey);
		expect([status, message]).toEqual(['Error', expect.stringMatching(/^The API key is invalid/)]);
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
});
