import { NodeOperationError, type IHookFunctions, type IWebhookFunctions } from 'n8n-workflow';
import { decryptSecret } from '../../src/webhook/encryptSecret';
import { registrationOf } from './registrationStore';
import type { Service } from '../../src/trigger/connection';
import type { RegistrationMode } from '../../src/trigger/fields';

export const SECRET_CREDENTIAL = 'mediaGenWebhookSecretApi';

type Context = IHookFunctions | IWebhookFunctions;

/** Whether the webhook was created elsewhere, with its secret in a credential. */
export const isByHand = (context: Context): boolean =>
	context.getNodeParameter('registration', 'automatic') === ('manual' satisfies RegistrationMode);

/** The secret in the credential. @throws if there is none */
export async function secretFromCredential(context: Context): Promise<string> {
	const { signingSecret } = await context.getCredentials(SECRET_CREDENTIAL);
	if (typeof signingSecret === 'string' && signingSecret !== '') return signingSecret;
	throw new NodeOperationError(context.getNode(), 'The credential holds no signing secret');
}

/** The signing secret, or `undefined`: then every delivery is refused. */
export async function secretOf(context: Context, { apiKey }: Service): Promise<string | undefined> {
	if (isByHand(context)) return await secretFromCredential(context);
	const { secret, webhookId } = registrationOf(context);
	return webhookId === undefined ? undefined : decryptSecret(secret, apiKey, webhookId);
}
