import { NodeOperationError, type IHookFunctions } from 'n8n-workflow';
import { ENDPOINTS } from '../../src/contract';
import { encryptSecret, decryptSecret } from '../../src/webhook/encryptSecret';
import {
	clearRegistration,
	registrationOf,
	savedRegistration,
	saveRegistration,
	type Registration,
} from './registrationStore';
import {
	deleteOwn,
	register,
	sameEvents,
	isStillRegistered,
	type WebhookSettings,
} from './registration';
import { secretFromCredential, isByHand } from './secret';
import { openService, type Service } from '../../src/trigger/connection';

const HTTPS_HINT =
	'Set the environment variable WEBHOOK_URL of n8n to its public address, such as WEBHOOK_URL=https://n8n.example.com/ ' +
	'(behind a reverse proxy also N8N_PROXY_HOPS=1), restart n8n and publish again. ' +
	'Without a public address use the MediaGen Polling Trigger instead: it needs none.';

/**
 * @throws when n8n's URL is not one that the service delivers to. Specification: CreateWebhook,
 * `^https://`
 */
function settingsOf(context: IHookFunctions): WebhookSettings {
	const node = context.getNode();
	const url = context.getNodeWebhookUrl('default') ?? '';
	if (!url.startsWith('https://')) {
		const message = `The service delivers events to https addresses only, and the webhook URL of this n8n is ${url || 'unknown'}. ${HTTPS_HINT}`;
		throw new NodeOperationError(node, message, { description: HTTPS_HINT });
	}
	const events = context.getNodeParameter('events', []);
	if (!Array.isArray(events) || events.length === 0) {
		throw new NodeOperationError(node, 'Choose at least one event');
	}
	const { id, name } = context.getWorkflow();
	const description = `n8n: ${node.name} in ${name ?? 'a workflow'} (${id ?? 'not saved'})`;
	return { url, events: events.map(String), description: description.slice(0, 200) };
}

/**
 * Whether the webhook that is remembered is this workflow's. Static data travels: a copy of a
 * workflow (export and import, public API) remembers the original's webhook, and so does every
 * workflow of a cloned database. A copy has another id; a clone has another address, unless it is
 * mistaken for the original by the service, too.
 */
function isOwn(context: IHookFunctions, { url, workflowId }: Registration): boolean {
	const isCopy = workflowId !== undefined && workflowId !== context.getWorkflow().id;
	return !isCopy && url === context.getNodeWebhookUrl('default');
}

/**
 * Forgets a webhook without deleting it if it may
 * belong to somebody else, who would not notice the loss.
 */
function abandonWebhook(
	context: IHookFunctions,
	{ webhookId, url, workflowId }: Registration,
): void {
	if (workflowId === undefined || workflowId === context.getWorkflow().id) {
		context.logger.warn(
			'MediaGen Event Trigger: a webhook with another address was left at the service, because another n8n may be using it. If none is, delete it (MediaGen Webhook: Delete)',
			{ webhookId, url },
		);
	}
	clearRegistration(context);
}

/**
 * Deletes the registered webhook if it belongs to this node, and forgets it.
 * @returns false if it still exists
 */
async function removeRegistered(context: IHookFunctions, service?: Service): Promise<boolean> {
	const registration = registrationOf(context);
	const { webhookId, baseUrl, url } = registration;
	if (webhookId === undefined || url === undefined) return true;
	if (!isOwn(context, registration)) {
		abandonWebhook(context, registration);
		return true;
	}
	const at = service ?? (await openService(context));
	if (baseUrl !== at.baseUrl) {
		// A credential that leads to another service cannot delete it there.
		context.logger.warn(
			'MediaGen Event Trigger: a webhook was left at the service of the old base URL, because the credential leads to another one. Delete it there (MediaGen Webhook: Delete)',
			{ webhookId, baseUrl },
		);
		clearRegistration(context);
		return true;
	}
	const isGone = await deleteOwn(at, webhookId, url);
	if (isGone) clearRegistration(context);
	else {
		context.logger.warn('MediaGen: the webhook could not be deleted at the service', { webhookId });
	}
	return isGone;
}

/**
 * Whether the webhook of an earlier activation still exists and is usable; otherwise it is deleted.
 */
export async function checkExists(this: IHookFunctions): Promise<boolean> {
	const registration = savedRegistration(this);
	const { webhookId, secret, events, baseUrl } = registration;
	if (webhookId === undefined || isByHand(this)) return false;
	const settings = settingsOf(this);
	if (!isOwn(this, registration)) {
		abandonWebhook(this, registration);
		return false;
	}
	const service = await openService(this);
	const isUsable =
		baseUrl === service.baseUrl &&
		sameEvents(events, settings.events) &&
		decryptSecret(secret, service.apiKey, webhookId) !== undefined &&
		(await isStillRegistered(this, service, webhookId, settings));
	if (isUsable) return true;
	await removeRegistered(this, service);
	clearRegistration(this);
	return false;
}

/**
 * Registers the webhook. n8n calls this up to five times, so whatever fails here leaves nothing
 * behind.
 */
export async function create(this: IHookFunctions): Promise<boolean> {
	if (isByHand(this)) {
		await secretFromCredential(this);
		await removeRegistered(this);
		return true;
	}
	const settings = settingsOf(this);
	const service = await openService(this);
	service.requireScope(ENDPOINTS.createWebhook.scope);
	const { id, secret } = await register(this, service, settings);
	const { url, events } = settings;
	const { apiKey, baseUrl } = service;
	const { id: workflowId } = this.getWorkflow();
	const encrypted = encryptSecret(secret, apiKey, id);
	saveRegistration(this, { webhookId: id, workflowId, url, events, baseUrl, secret: encrypted });
	return true;
}

/** Deletes the webhook; after a failed activation there is none. */
export async function remove(this: IHookFunctions): Promise<boolean> {
	return await removeRegistered(this);
}
