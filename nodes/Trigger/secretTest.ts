import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

/** A secret cannot be tested against the service, but typical copying mistakes can be detected. */
export async function mediaGenWebhookSecretApiTest(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const secret = data?.signingSecret;
	if (typeof secret !== 'string' || secret === '') {
		return {
			status: 'Error',
			message: 'Enter the signing secret that was shown when the webhook was created.',
		};
	}
	if (secret.trim() !== secret) {
		return {
			status: 'Error',
			message: 'The secret begins or ends with a space. Every delivery would be refused.',
		};
	}
	return {
		status: 'OK',
		message:
			'The secret looks complete. Only the first event can show whether it is the right one.',
	};
}
