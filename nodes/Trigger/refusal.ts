import type { IWebhookFunctions } from 'n8n-workflow';
import { registrationOf } from './registrationStore';
import { isByHand } from './secret';
import { cacheKey } from './credentialCache';

/** Most registrations to remember. */
const MAX_ENTRIES = 1_000;

/**
 * Registrations whose problem has been logged. Anybody can cause a refusal, so it is logged once
 * until it is fixed.
 */
const warned = new Set<string>();

const PUBLISH_AGAIN =
	'Unpublish and publish the workflow: that registers a new webhook, with a secret that the present API key protects.';

/**
 * Why a registration has no secret to verify deliveries with, and what to do. Never contains the
 * secret.
 */
function problemOf(context: IWebhookFunctions): string {
	if (registrationOf(context).webhookId === undefined)
		return `no webhook is registered for it (any more). ${PUBLISH_AGAIN}`;
	return `its signing secret cannot be decrypted with the API key of its credential, which was probably changed. ${PUBLISH_AGAIN}`;
}

function warnOnce(context: IWebhookFunctions, problem: string): void {
	const name = cacheKey(context);
	if (warned.has(name)) return;
	warned.add(name);
	const [oldest] = warned;
	if (warned.size > MAX_ENTRIES && oldest !== undefined) warned.delete(oldest);
	const { id, name: workflow } = context.getWorkflow();
	context.logger.warn(
		`MediaGen Event Trigger: "${context.getNode().name}" in workflow "${workflow ?? ''}" (${id ?? ''}) refuses every event, because ${problem}`,
	);
}

/** Logs once why a node refuses every delivery. */
export function warnOfSecret(context: IWebhookFunctions, secret: string | undefined): void {
	if (secret === undefined) warnOnce(context, problemOf(context));
	else if (warned.size > 0) warned.delete(cacheKey(context));
}

/** Logs once that a credential cannot be read. */
export function warnOfCredential(context: IWebhookFunctions, { message }: Error): void {
	const which = isByHand(context) ? 'its credentials' : 'its credential';
	warnOnce(context, `${which} cannot be used: ${message}`);
}
