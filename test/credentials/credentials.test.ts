import { NodeHelpers } from 'n8n-workflow';
import { MediaGenApi } from '../../credentials/MediaGenApi.credentials';
import { MediaGenTrigger } from '../../nodes/Trigger/MediaGenTrigger.node';
import { authenticate } from '../../src/n8n/authenticate';

const credential = new MediaGenApi();

test('the key is a password, and n8n puts it on requests by a function', () => {
	const key = credential.properties.find(({ name }) => name === 'apiKey');
	expect(key?.typeOptions).toEqual({ password: true });
	expect(credential.authenticate).toBe(authenticate);
});

test('n8n keeps the limits that were chosen', () => {
	const limits = { scopes: ['files:write'], requestsPerMinute: 600, concurrentJobs: 20 };
	const given = { apiKey: 'k', baseUrl: 'https://api.example/v1', ...limits };
	// As n8n does when it reads a credential: it drops what stands in fields that it does not show.
	const read = NodeHelpers.getNodeParameters(credential.properties, given, true, false, null, null);
	expect(read).toMatchObject(limits);
});

test.each([
	['whsec_1', 'OK'],
	['', 'Error'],
	[' whsec_1', 'Error'],
	['whsec_1\n', 'Error'],
	[undefined, 'Error'],
])('the test of the secret %j says %s and does not repeat it', async (signingSecret, status) => {
	const { mediaGenWebhookSecretApiTest } = new MediaGenTrigger().methods.credentialTest;
	const result = await mediaGenWebhookSecretApiTest({ data: { signingSecret } } as never);
	expect(result.status).toBe(status);
	expect(result.message).not.toContain('whsec');
});
