import { NodeOperationError, type IHookFunctions } from 'n8n-workflow';
import { ENDPOINTS } from '../../src/contract';
import { seal, unseal } from '../../src/webhook/sealed';
import { forget, memoryOf, remember } from './memory';
import { deleteWebhook, register, sameEvents, stillStands, type Wanted } from './registration';
import { handedOver, isByHand } from './secret';
import { openService, type Service } from './service';

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

/** Deletes the webhook that is remembered, if any, and forgets it. @returns false when it stands there still */
async function removeKnown(context: IHookFunctions, service?: Service): Promise<boolean> {
	const { webhookId, baseUrl } = memoryOf(context);
	if (webhookId === undefined) return true;
	const at = service ?? (await openService(context));
	// A credential that leads to another service cannot delete it there.
	const gone = baseUrl === at.baseUrl ? await deleteWebhook(at, webhookId) : true;
	if (gone) forget(context);
	else {
		context.logger.warn('MediaGen: the webhook could not be deleted at the service', { webhookId });
	}
	return gone;
}

/** Whether the webhook of an earlier activation is there and usable. One that is not is deleted. */
export async function checkExists(this: IHookFunctions): Promise<boolean> {
	const { webhookId, secret, url, events, baseUrl } = memoryOf(this);
	if (webhookId === undefined || isByHand(this)) return false;
	const wanted = wantedOf(this);
	const service = await openService(this);
	const isUsable =
		baseUrl === service.baseUrl &&
		url === wanted.url &&
		sameEvents(events, wanted.events) &&
		unseal(secret, service.apiKey, webhookId) !== undefined &&
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
	remember(this, { webhookId: id, url, events, baseUrl, secret: seal(secret, apiKey, id) });
	return true;
}

/** Deletes the webhook; after a failed activation there is none. */
export async function remove(this: IHookFunctions): Promise<boolean> {
	return await removeKnown(this);
}
