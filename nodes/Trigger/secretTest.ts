import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

/** A secret cannot be tried out at the service; what goes wrong when it is copied can be told. */
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
			message: 'There are blanks before or after the secret. Every delivery would be refused.',
		};
	}
	return {
		status: 'OK',
		message: 'The secret looks whole. Whether it is the right one shows with the first event.',
	};
}
