import { randomUUID } from 'crypto';
import { NodeOperationError, type IHookFunctions, type IWebhookFunctions } from 'n8n-workflow';
import { ENDPOINTS, IDEMPOTENCY_HEADER, isRecord, textOf, type Json } from '../../src/contract';
import { decryptSecret, encryptSecret } from '../../src/events/encryptSecret';
import { openService, serviceError, type Service } from '../../src/events/service';
import type { Failed } from '../../src/base/result';
import { isResource } from '../../src/base/types';
import { pageOf } from '../../src/service/pages';
import { isGone, refusalOf } from '../../src/service/statuses';

/** Who creates the webhook at the service. */
export type RegistrationMode = 'automatic' | 'manual';

type Context = IHookFunctions | IWebhookFunctions;

/** What the node remembers of its webhook, in n8n's static data. */
interface Registration {
	webhookId?: string;
	/** The workflow that registered it, because copies of a workflow inherit its static data. */
	workflowId?: string;
	url?: string;
	events?: string[];
	/** Encrypted; see `src/events/encryptSecret.ts`. */
	secret?: string;
	baseUrl?: string;
}

/** Attempts at a request: n8n 2 tries an activation five times, and in n8n 1 a user waits. */
const MAX_ATTEMPTS = 3;

/**
 * What this process has registered. n8n saves static data only after it has activated all triggers
 * of a workflow, and not at all if one of them fails: until then the first events of the others
 * would be refused, and their webhooks be left at the service.
 */
const unsaved = new Map<string, Registration>();

const nameOfTrigger = (context: Context): string =>
	JSON.stringify([context.getWorkflow().id, context.getNode().id, context.getMode() === 'manual']);

const savedRegistration = (context: Context): Registration => context.getWorkflowStaticData('node');

/** What n8n has saved, else what it has yet to save. */
function registrationOf(context: Context): Registration {
	const saved = savedRegistration(context);
	return saved.webhookId === undefined ? (unsaved.get(nameOfTrigger(context)) ?? saved) : saved;
}

function forget(context: IHookFunctions): void {
	const data = context.getWorkflowStaticData('node');
	for (const name of Object.keys(data)) delete data[name];
	unsaved.delete(nameOfTrigger(context));
}

const isByHand = (context: Context): boolean =>
	context.getNodeParameter('registration', 'automatic') === ('manual' satisfies RegistrationMode);

async function secretFromCredential(context: Context): Promise<string> {
	const { signingSecret } = await context.getCredentials('mediaGenWebhookSecretApi');
	const secret = textOf(signingSecret);
	if (secret !== undefined) return secret;
	throw new NodeOperationError(context.getNode(), 'The credential holds no signing secret');
}

/** The secret that verifies deliveries, or why there is none and what to do. */
export async function secretOf(
	context: Context,
	{ apiKey }: Service,
): Promise<{ secret?: string; reason?: string }> {
	if (isByHand(context)) return { secret: await secretFromCredential(context) };
	const { secret: encrypted, webhookId } = registrationOf(context);
	const secret = decryptSecret(encrypted, apiKey, webhookId ?? '');
	if (secret) return { secret };
	const problem =
		webhookId === undefined
			? 'no webhook is registered for it (any more)'
			: 'its signing secret cannot be decrypted with the API key of its credential, which was probably changed';
	return {
		reason: `${problem}. Unpublish and publish the workflow: that registers a new webhook, with a secret that the present API key protects.`,
	};
}

const requestFor = (method: 'GET' | 'DELETE', id: string) => ({
	method,
	path: ENDPOINTS.getWebhook.path.replace('{id}', encodeURIComponent(id)),
});

const isGoneNow = ({ failure }: Failed) => failure.kind === 'status' && isGone(failure.status);

const sameEvents = (left: unknown, right: readonly string[]): boolean =>
	Array.isArray(left) && [...left].sort().join() === [...right].sort().join();

/** @throws when the URL is not one that the service delivers to. Specification: CreateWebhook */
function settingsOf(context: IHookFunctions) {
	const node = context.getNode();
	const url = context.getNodeWebhookUrl('default') ?? '';
	if (!url.startsWith('https://')) {
		// What to do comes first: n8n cuts the message off.
		const notPublic = `Use the MediaGen Polling Trigger, or set WEBHOOK_URL=https://… of n8n: events go to https addresses only, not to ${url || 'an unknown one'}`;
		const description =
			'The Polling Trigger needs no public address. For this trigger set the environment variable WEBHOOK_URL of n8n to its public address, such as https://n8n.example.com/ (behind a reverse proxy also N8N_PROXY_HOPS=1), restart n8n and publish again.';
		throw new NodeOperationError(node, notPublic, { description });
	}
	const events = context.getNodeParameter('events', []);
	if (!Array.isArray(events) || events.length === 0)
		throw new NodeOperationError(node, 'Choose at least one event');
	const { id, name } = context.getWorkflow();
	const description = `n8n: ${node.name} in ${name ?? 'a workflow'} (${id ?? 'not saved'})`;
	return { url, events: events.map(String), description: description.slice(0, 200) };
}

/** Deletes a webhook. @returns whether it no longer exists */
async function deleteWebhook({ send }: Service, id: string): Promise<boolean> {
	// The specification shows no response body for DELETE, so any is accepted.
	const answer = await send(requestFor('DELETE', id), { validate: () => undefined });
	return answer.ok || isGoneNow(answer);
}

/**
 * Deletes webhooks that have this node's URL: their secret is unknown, because the response of an
 * activation was lost. Does nothing without the scope to list webhooks.
 */
async function deleteLeftovers(service: Service, url: string): Promise<void> {
	// A service that answers something else has none to show; to ask again would only delay n8n.
	const list = await service.send(
		{ method: 'GET', path: ENDPOINTS.listWebhooks.path },
		{ validate: () => undefined, maxAttempts: MAX_ATTEMPTS },
	);
	for (const webhook of list.ok ? pageOf(list.value.body).entries.filter(isResource) : [])
		if (webhook.url === url) await deleteWebhook(service, webhook.id);
}

/**
 * Whether the webhook is still registered with its URL and its events. Only fields that the
 * response has are compared, because the specification does not show them (Other response bodies).
 * @throws if the webhook cannot be checked
 */
async function isStillRegistered(
	context: IHookFunctions,
	{ send }: Service,
	id: string,
	{ url, events }: ReturnType<typeof settingsOf>,
): Promise<boolean> {
	const answer = await send(requestFor('GET', id), { maxAttempts: MAX_ATTEMPTS });
	if (!answer.ok) {
		if (isGoneNow(answer)) return false;
		// A key may write but not read: then what the node remembers has to do.
		if (refusalOf(answer) === 'forbidden') return true;
		throw serviceError(context, answer, ENDPOINTS.getWebhook, 'The webhook cannot be checked');
	}
	const current = { url, events, ...(answer.value.body as Json) };
	return current.url === url && sameEvents(current.events, events);
}

/** `secret`, else any text so called: the specification shows no name (Other response bodies). */
const secretIn = (body: Json): string | undefined =>
	['secret', ...Object.keys(body).filter((name) => /secret/i.test(name))]
		.map((name) => textOf(body[name]))
		.find((secret) => secret !== undefined);

/**
 * Registers a webhook and leaves none behind when that fails.
 * @throws when the service refuses, or when its response has no id or no signing secret; the error
 * lists the names of its fields
 */
async function register(context: IHookFunctions): Promise<Registration> {
	const settings = settingsOf(context);
	const { url, events } = settings;
	const service = await openService(context);
	const endpoint = ENDPOINTS.createWebhook;
	service.requireScope(endpoint.scope);
	await deleteLeftovers(service, url);
	// With the key, a repeat after a lost response returns the same webhook and its secret.
	const headers = { [IDEMPOTENCY_HEADER]: randomUUID() };
	const answer = await service.send(
		{ method: 'POST', path: endpoint.path, body: settings, headers },
		{ replayable: true, maxAttempts: MAX_ATTEMPTS },
	);
	if (!answer.ok) {
		const { failure } = answer;
		if (failure.kind !== 'status' || failure.outcomeUnknown) await deleteLeftovers(service, url);
		throw serviceError(context, answer, endpoint, 'The webhook cannot be registered');
	}
	const body = answer.value.body as Json;
	const id = textOf(body.id);
	const plain = secretIn(body);
	if (id !== undefined && plain !== undefined) {
		const { baseUrl, apiKey } = service;
		const secret = encryptSecret(plain, apiKey, id);
		return { webhookId: id, workflowId: context.getWorkflow().id, url, events, baseUrl, secret };
	}
	if (id !== undefined) await deleteWebhook(service, id);
	else await deleteLeftovers(service, url);
	const incomplete = `The service registered the webhook without ${id === undefined ? 'an ID' : 'a signing secret'}`;
	const description = `The webhook was deleted again. Fields of the response: ${Object.keys(body).join(', ').slice(0, 1_000) || 'none'}. Create a webhook elsewhere and choose Registration: By Hand, or use the MediaGen Polling Trigger.`;
	throw new NodeOperationError(context.getNode(), incomplete, { description });
}

/**
 * The service of the webhook that is remembered, if this node may delete it there; otherwise it is
 * forgotten. Static data travels: a copy of a workflow (export and import, public API) remembers the
 * original's webhook, and so does every workflow of a cloned database. A copy has another id; a
 * clone has another address.
 */
async function ownService(context: IHookFunctions): Promise<Service | undefined> {
	const { webhookId, url, workflowId, baseUrl } = registrationOf(context);
	const isHere = url === context.getNodeWebhookUrl('default');
	// Of a copy, the original still has its webhook, which is as it should be.
	if (workflowId === context.getWorkflow().id) {
		const service = isHere ? await openService(context) : undefined;
		if (service && service.baseUrl === baseUrl) return service;
		const reason = isHere
			? 'of the old base URL, because the credential leads to another one. Delete it there (MediaGen Webhook: Delete)'
			: 'with another address, because another n8n may be using it. If none is, delete it (MediaGen Webhook: Delete)';
		const message = `MediaGen Trigger: a webhook was left at the service ${reason}`;
		context.logger.warn(message, { webhookId, url, baseUrl });
	}
	forget(context);
	return undefined;
}

/** Deletes the registered webhook if it belongs to this node. @returns false if it still exists */
async function removeRegistered(context: IHookFunctions): Promise<boolean> {
	const { webhookId, url } = registrationOf(context);
	const service = webhookId === undefined ? undefined : await ownService(context);
	if (webhookId === undefined || !service) return true;
	// One that has been given another URL since belongs to somebody else. A key may write but not
	// read: then what the node remembers has to do.
	const answer = await service.send(requestFor('GET', webhookId), { retry: false });
	const now = answer.ok && isRecord(answer.value.body) ? answer.value.body.url : undefined;
	const isTaken = typeof now === 'string' && now !== url;
	const isRemoved = isTaken || (await deleteWebhook(service, webhookId));
	const message = 'MediaGen Trigger: the webhook could not be deleted at the service';
	if (isRemoved) forget(context);
	else context.logger.warn(message, { webhookId });
	return isRemoved;
}

/** What n8n calls when a workflow is published or unpublished, and around a test event. */
export const webhookMethods = {
	/** Whether the webhook of an earlier activation is still usable; otherwise it is deleted. */
	async checkExists(this: IHookFunctions): Promise<boolean> {
		const { webhookId, secret, events } = savedRegistration(this);
		if (webhookId === undefined || isByHand(this)) return false;
		const settings = settingsOf(this);
		const service = await ownService(this);
		if (!service) return false;
		const isUsable =
			sameEvents(events, settings.events) &&
			decryptSecret(secret, service.apiKey, webhookId) !== undefined &&
			(await isStillRegistered(this, service, webhookId, settings));
		if (isUsable) return true;
		await removeRegistered(this);
		forget(this);
		return false;
	},

	async create(this: IHookFunctions): Promise<boolean> {
		if (isByHand(this)) {
			await secretFromCredential(this);
			await removeRegistered(this);
			return true;
		}
		const registration = await register(this);
		Object.assign(savedRegistration(this), registration);
		unsaved.set(nameOfTrigger(this), registration);
		return true;
	},

	async delete(this: IHookFunctions): Promise<boolean> {
		return await removeRegistered(this);
	},
};
