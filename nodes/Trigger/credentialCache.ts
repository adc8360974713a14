import type { IWebhookFunctions } from 'n8n-workflow';
import { CREDENTIAL } from '../../src/transport/host/credentialName';
import type { Workspace } from '../../src/transport/workspace';
import { registrationOf } from './registrationStore';
import { isByHand, SECRET_CREDENTIAL, secretOf } from './secret';
import { openService } from '../../src/trigger/connection';

/** The secret that verifies a delivery, and the workspace whose waits the delivery may end. */
export interface Verification {
	secret: string | undefined;
	workspace: Workspace;
}

/**
 * How long credentials are cached, in ms. n8n reads them from its database and decrypts them each
 * time, which takes longer than everything else that a delivery needs.
 */
const MAX_AGE_MS = 30_000;

/** Most registrations to remember. */
const MAX_ENTRIES = 1_000;

const cache = new Map<string, { verification: Verification; since: number }>();

/** Identifies the registration and its credentials: each has another secret. */
export function cacheKey(context: IWebhookFunctions): string {
	const { id, credentials = {} } = context.getNode();
	const { webhookId, secret } = registrationOf(context);
	const [api, byHand] = [CREDENTIAL, SECRET_CREDENTIAL].map((name) => credentials[name]?.id);
	return JSON.stringify([
		context.getWorkflow().id,
		id,
		api,
		isByHand(context) && byHand,
		webhookId,
		secret,
	]);
}

/** @throws when a credential cannot be read */
export async function cachedVerification(
	context: IWebhookFunctions,
	now: number,
): Promise<Verification> {
	const name = cacheKey(context);
	const known = cache.get(name);
	const age = known ? now - known.since : -1;
	// A clock that was set back gives a negative age, which would otherwise keep the entry that much
	// longer.
	if (known && age >= 0 && age < MAX_AGE_MS) return known.verification;
	const service = await openService(context);
	const verification = { secret: await secretOf(context, service), workspace: service.workspace };
	cache.delete(name);
	cache.set(name, { verification, since: now });
	const [oldest] = cache.keys();
	if (cache.size > MAX_ENTRIES && oldest !== undefined) cache.delete(oldest);
	return verification;
}
