import type { ICredentialTestFunctions } from 'n8n-workflow';
import { MediaGenWebhookSecretApi } from '../../credentials/MediaGenWebhookSecretApi.credentials';
import { mediaGenWebhookSecretApiTest } from '../../nodes/Trigger/secretTest';

test('has one field, a password', () => {
	const { name, properties } = new MediaGenWebhookSecretApi();
	expect(name).toBe('mediaGenWebhookSecretApi');
	expect(properties).toMatchObject([{ name: 'signingSecret', typeOptions: { password: true } }]);
});

test.each([
	['whsec_1', 'OK'],
	['', 'Error'],
	[' whsec_1', 'Error'],
	['whsec_1\n', 'Error'],
	[undefined, 'Error'],
])('the test of the secret %j says %s and does not repeat it', async (signingSecret, status) => {
	const credential = {
		id: '1',
		name: 'x',
		type: 'mediaGenWebhookSecretApi',
		data: { signingSecret },
	};
	const context = {} as ICredentialTestFunctions;
	const result = await mediaGenWebhookSecretApiTest.call(context, credential as never);
	expect(result.status).toBe(status);
	expect(result.message).not.toContain('whsec');
});
