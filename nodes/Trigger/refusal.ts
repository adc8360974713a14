import type { IWebhookFunctions } from 'n8n-workflow';
import { registrationOf } from './registrationStore';
import { isByHand } from './secret';
import { nameOf } from './credentialCache';

/** Registrations remembered at most. */
const MOST = 1_000;

/** Registrations whose fault is in the log. Anybody can make a node refuse, so the log says it once until it is mended. */
const warned = new Set<string>();

const AGAIN =
	'Unpublish and publish the workflow: that registers a webhook anew, with a secret that the present API key protects.';

/** What is wrong with a registration that has no secret to check deliveries with, and what to do. Never the secret. */
function problemOf(context: IWebhookFunctions): string {
	if (registrationOf(context).webhookId === undefined)
		return `no webhook is registered for it (any more). ${AGAIN}`;
	return `its signing secret cannot be decrypted with the API key of its credential, which was probably changed. ${AGAIN}`;
}

function warnOnce(context: IWebhookFunctions, problem: string): void {
	const name = nameOf(context);
	if (warned.has(name)) return;
	warned.add(name);
	const [oldest] = warned;
	if (warned.size > MOST && oldest !== undefined) warned.delete(oldest);
	const { id, name: workflow } = context.getWorkflow();
	context.logger.warn(
		`MediaGen Event Trigger: "${context.getNode().name}" in workflow "${workflow ?? ''}" (${id ?? ''}) refuses every event, because ${problem}`,
	);
}

/** Says once what makes a node refuse every delivery. */
export function warnOfSecret(context: IWebhookFunctions, secret: string | undefined): void {
	if (secret === undefined) warnOnce(context, problemOf(context));
	else if (warned.size > 0) warned.delete(nameOf(context));
}

/** Says once that a credential cannot be read. */
export function warnOfCredential(context: IWebhookFunctions, { message }: Error): void {
	const which = isByHand(context) ? 'its credentials' : 'its credential';
	warnOnce(context, `${which} cannot be used: ${message}`);
}
