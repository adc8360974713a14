import { NodeOperationError, type IHookFunctions } from 'n8n-workflow';
import { ENDPOINTS } from '../../src/contract';
import { encryptSecret, decryptSecret } from '../../src/webhook/encryptSecret';
import { forget, registrationOf, remember, type Registration } from './registrationStore';
import { deleteOwn, register, sameEvents, stillStands, type Wanted } from './registration';
import { handedOver, isByHand } from './secret';
import { openService, type Service } from '../../src/trigger/connection';

const HTTPS_HINT =
	'Set the environment variable WEBHOOK_URL of n8n to its public address, such as WEBHOOK_URL=https://n8n.example.com/ ' +
	'(behind a reverse proxy also N8N_PROXY_HOPS=1), restart n8n and publish again. ' +
	'Without a public address use the MediaGen Polling Trigger instead: it needs none.';

/** @throws when n8n's URL is not one that the service delivers to. Specification: CreateWebhook, `^https://` */
function wantedOf(context: IHookFunctions): Wanted {
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
 * Whether the webhook that is remembered is this workflow's. Static data travels: a copy of a workflow (export and import,
 * public API) remembers the original's webhook, and so does every workflow of a cloned database. A copy has another id; a
 * clone has another address, unless it is mistaken for the original by the service, too.
 */
function isOwn(context: IHookFunctions, { url, workflowId }: Registration): boolean {
	const isCopy = workflowId !== undefined && workflowId !== context.getWorkflow().id;
	return !isCopy && url === context.getNodeWebhookUrl('default');
}

/** Forgets a webhook that is not, or no longer, known to be ours. It may be in use, and nobody would notice its end. */
function leaveAlone(context: IHookFunctions, { webhookId, url, workflowId }: Registration): void {
	if (workflowId === undefined || workflowId === context.getWorkflow().id) {
		context.logger.warn(
			'MediaGen Event Trigger: a webhook with another address was left at the service, because another n8n may be using it. If none is, delete it (MediaGen Webhook: Delete)',
			{ webhookId, url },
		);
	}
	forget(context);
}

/** Deletes the webhook that is remembered, if it is ours, and forgets it. @returns false when it stands there still */
async function removeKnown(context: IHookFunctions, service?: Service): Promise<boolean> {
	const registration = registrationOf(context);
	const { webhookId, baseUrl, url } = registration;
	if (webhookId === undefined || url === undefined) return true;
	if (!isOwn(context, registration)) {
		leaveAlone(context, registration);
		return true;
	}
	const at = service ?? (await openService(context));
	// A credential that leads to another service cannot delete it there.
	const gone = baseUrl === at.baseUrl ? await deleteOwn(at, webhookId, url) : true;
	if (gone) forget(context);
	else {
		context.logger.warn('MediaGen: the webhook could not be deleted at the service', { webhookId });
	}
	return gone;
}

/** Whether the webhook of an earlier activation is there and usable. One that is not is deleted. */
export async function checkExists(this: IHookFunctions): Promise<boolean> {
	const registration = registrationOf(this);
	const { webhookId, secret, events, baseUrl } = registration;
	if (webhookId === undefined || isByHand(this)) return false;
	const wanted = wantedOf(this);
	if (!isOwn(this, registration)) {
		leaveAlone(this, registration);
		return false;
	}
	const service = await openService(this);
	const isUsable =
		baseUrl === service.baseUrl &&
		sameEvents(events, wanted.events) &&
		decryptSecret(secret, service.apiKey, webhookId) !== undefined &&
		(await stillStands(this, service, webhookId, wanted));
	if (isUsable) return true;
	await removeKnown(this, service);
	forget(this);
	return false;
}

/** Registers the webhook. n8n calls this up to five times, so whatever fails here leaves nothing behind. */
export async function create(this: IHookFunctions): Promise<boolean> {
	if (isByHand(this)) {
		await handedOver(this);
		await removeKnown(this);
		return true;
	}
	const wanted = wantedOf(this);
	const service = await openService(this);
	service.needs(ENDPOINTS.createWebhook.scope);
	const { id, secret } = await register(this, service, wanted);
	const { url, events } = wanted;
	const { apiKey, baseUrl } = service;
	const { id: workflowId } = this.getWorkflow();
	const sealed = encryptSecret(secret, apiKey, id);
	remember(this, { webhookId: id, workflowId, url, events, baseUrl, secret: sealed });
	return true;
}

/** Deletes the webhook; after a failed activation there is none. */
export async function remove(this: IHookFunctions): Promise<boolean> {
	return await removeKnown(this);
}
