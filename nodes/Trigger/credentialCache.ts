import type { IWebhookFunctions } from 'n8n-workflow';
import { BoundedMap } from '../../src/transport/base/boundedMap';
import { CREDENTIAL } from '../../src/transport/http/credentialName';
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
 * time, which takes longer than everything else that a delivery needs. Short, because a secret that
 * was replaced must not count any longer.
 */
const MAX_AGE_MS = 1_000;

/** How often a refusal may have cached credentials read again, in ms: anybody can cause one. */
const REREAD_INTERVAL_MS = 1_000;

/** Most registrations to remember. */
const MAX_ENTRIES = 1_000;

interface Entry {
	verification: Verification;
	since: number;
	/** When a refusal has last had the credentials read again. */
	rereadAt?: number;
}

const cache = new BoundedMap<string, Entry>(MAX_ENTRIES);

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

/** Whether a time lies behind by less than this; not if the clock was set back meanwhile. */
const isWithin = (ms: number, since: number | undefined, now: number): boolean =>
	since !== undefined && now >= since && now - since < ms;

async function read(
	context: IWebhookFunctions,
	now: number,
	more: Pick<Entry, 'rereadAt'> = {},
): Promise<Verification> {
	const name = cacheKey(context);
	const service = await openService(context);
	const verification = { secret: await secretOf(context, service), workspace: service.workspace };
	cache.set(name, { verification, since: now, ...more });
	return verification;
}

/** @throws when a credential cannot be read */
export async function cachedVerification(
	context: IWebhookFunctions,
	now: number,
): Promise<Verification> {
	const known = cache.get(cacheKey(context));
	if (known && isWithin(MAX_AGE_MS, known.since, now)) return known.verification;
	return await read(context, now, { rereadAt: known?.rereadAt });
}

/**
 * What verifies a delivery that the cached secret has refused: the credential may have another one
 * by now.
 * @returns `undefined` if it was read just now
 * @throws when a credential cannot be read
 */
export async function newerVerification(
	context: IWebhookFunctions,
	now: number,
): Promise<Verification | undefined> {
	const known = cache.get(cacheKey(context));
	if (known?.since === now || isWithin(REREAD_INTERVAL_MS, known?.rereadAt, now)) return undefined;
	return await read(context, now, { rereadAt: now });
}
