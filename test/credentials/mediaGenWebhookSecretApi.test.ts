import { MediaGenTrigger } from '../../nodes/Trigger/MediaGenTrigger.node';

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
	const { credentialTest } = new MediaGenTrigger().methods;
	const result = await credentialTest.mediaGenWebhookSecretApiTest(credential as never);
	expect(result.status).toBe(status);
	expect(result.message).not.toContain('whsec');
});
