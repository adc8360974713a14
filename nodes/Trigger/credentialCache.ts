import type { IWebhookFunctions } from 'n8n-workflow';
import type { Workspace } from '../../src/transport/workspace';
import { registrationOf } from './registrationStore';
import { isByHand, SECRET_CREDENTIAL, secretOf } from './secret';
import { openService } from '../../src/trigger/connection';

/** What a delivery is checked with, and whose waits it may end. */
export interface Verification {
	secret: string | undefined;
	workspace: Workspace;
}

/**
 * How long credentials count without being read again, in milliseconds. n8n reads and decrypts them from its database each time,
 * which takes longer than all else that a delivery needs.
 */
const FRESH_MS = 30_000;

/** Registrations remembered at most. */
const MOST = 1_000;

const remembered = new Map<string, { trust: Verification; since: number }>();

/** Names the registration and its credentials: another one is another secret. */
export function nameOf(context: IWebhookFunctions): string {
	const { id, credentials = {} } = context.getNode();
	const { webhookId, secret } = registrationOf(context);
	const [api, byHand] = ['mediaGenApi', SECRET_CREDENTIAL].map((name) => credentials[name]?.id);
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
	const name = nameOf(context);
	const known = remembered.get(name);
	const age = known ? now - known.since : -1;
	// A clock that was set back makes a negative age; without that question it would count for as long.
	if (known && age >= 0 && age < FRESH_MS) return known.trust;
	const service = await openService(context);
	const trust = { secret: await secretOf(context, service), workspace: service.workspace };
	remembered.delete(name);
	remembered.set(name, { trust, since: now });
	const [oldest] = remembered.keys();
	if (remembered.size > MOST && oldest !== undefined) remembered.delete(oldest);
	return trust;
}
