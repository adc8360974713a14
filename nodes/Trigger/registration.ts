import { randomUUID } from 'crypto';
import type {
	IDataObject,
	IHookFunctions,
	IWebhookFunctions,
	NodeOperationError,
} from 'n8n-workflow';
import {
	ENDPOINTS,
	IDEMPOTENCY_HEADER,
	isRecord,
	SIGNING_SECRET,
	textOf,
	type Json,
} from '../../src/api';
import { operationError } from '../../src/n8n/output/errors';
import { nameInLog } from '../../src/trigger/log';
import { openService, reasonInLog, serviceError, type Service } from '../../src/trigger/service';
import { forgetState, savedState, saveState } from '../../src/trigger/savedState';
import type { Failed } from '../../src/base/result';
import { isResource } from '../../src/base/types';
import { readPages } from '../../src/transport/pages';
import { isGone, refusalOf } from '../../src/transport/statuses';
import { callBack, deleteLater, runHook } from './hooks';

/** Who creates the webhook at the service. */
export type RegistrationMode = 'automatic' | 'manual';

type WebhookContext = IHookFunctions | IWebhookFunctions;

/** What a trigger remembers of its webhook. */
interface Registration {
	webhookId: string;
	/** The workflow that registered it, because copies of a workflow inherit its static data. */
	workflowId?: string;
	url: string;
	events: string[];
	secret: string;
	baseUrl: string;
	/** Names the key with which it was registered; see `Service`. */
	account: string;
	/** Whether it was registered for a test event in the editor. */
	isTest: boolean;
	/** Which process n8n has asked to delete it, and when, in ms since 1970. It may still be there. */
	left?: { by: string; at: number };
}

/** This process, among those that may share a database. */
const PROCESS = randomUUID();

/** For how long another process may be about to delete a webhook, in ms: much longer than it takes. */
const ELSEWHERE_MS = 60_000;

/** Whether another process may be about to delete the webhook. */
const isBeingLeftElsewhere = ({ left }: Registration): boolean =>
	left !== undefined && left.by !== PROCESS && Math.abs(Date.now() - left.at) < ELSEWHERE_MS;

/**
 * How often a request is tried. More is not needed: n8n 2 tries to publish five times, and in n8n 1 a user
 * waits.
 */
const MAX_ATTEMPTS = 3;

/**
 * What this process has registered. n8n saves static data only after it has activated all triggers of a
 * workflow, and not at all if one of them fails. Without this map, the first events of the others would be
 * refused until then, and their webhooks would be left at the service.
 */
const unsaved = new Map<string, Registration>();

const nameOfTrigger = (context: WebhookContext): string =>
	JSON.stringify([context.getWorkflow().id, context.getNode().id, context.getMode() === 'manual']);

const savedRegistration = (context: WebhookContext) =>
	savedState(context) as unknown as Registration | undefined;

/** The registration that n8n has saved, otherwise the one that it has not saved yet. */
const registrationOf = (context: WebhookContext): Registration | undefined =>
	savedRegistration(context) ?? unsaved.get(nameOfTrigger(context));

function saveRegistration(context: IHookFunctions, registration: Registration): void {
	saveState(context, registration as unknown as IDataObject);
	unsaved.set(nameOfTrigger(context), registration);
}

function forgetRegistration(context: IHookFunctions): void {
	forgetState(context);
	unsaved.delete(nameOfTrigger(context));
}

const isByHand = (context: WebhookContext): boolean =>
	context.getNodeParameter('registration', 'automatic') === ('manual' satisfies RegistrationMode);

async function secretFromCredential(context: WebhookContext): Promise<string> {
	const { signingSecret } = await context.getCredentials('mediaGenWebhookSecretApi');
	const secret = textOf(signingSecret);
	if (secret !== undefined) return secret;
	throw operationError(context.getNode(), 'The credential holds no signing secret');
}

/**
 * The secret that verifies deliveries; `undefined` if no webhook is registered.
 * @throws if the credential of a webhook made by hand cannot be read
 */
export async function secretOf(context: WebhookContext): Promise<string | undefined> {
	if (isByHand(context)) return await secretFromCredential(context);
	return registrationOf(context)?.secret;
}

const requestFor = (method: 'GET' | 'DELETE', id: string) => ({
	method,
	path: ENDPOINTS.getWebhook.path.replace('{id}', encodeURIComponent(id)),
});

const isGoneNow = ({ failure }: Failed) => failure.kind === 'status' && isGone(failure.status);

const sameEvents = (left: unknown, right: readonly string[]): boolean =>
	Array.isArray(left) && [...left].sort().join() === [...right].sort().join();

const warn = (context: IHookFunctions, message: string): void =>
	context.logger.warn(`MediaGen Trigger: ${nameInLog(context)}: ${message}`);

/** Deletes a webhook. The specification shows no response body for that, so any is accepted. */
const deleteAtService = async ({ send }: Service, id: string) =>
	await send(requestFor('DELETE', id), { validate: () => undefined, maxAttempts: MAX_ATTEMPTS });

/**
 * The body of the request that registers the webhook. Specification: CreateWebhook.
 * @throws if the service does not deliver to the URL, or no event is chosen
 */
function settingsOf(context: IHookFunctions) {
	const node = context.getNode();
	const url = context.getNodeWebhookUrl('default') ?? '';
	if (!url.startsWith('https://')) {
		// What to do comes first: n8n cuts the message off.
		const notPublic = `Use the MediaGen Polling Trigger, or set WEBHOOK_URL=https://… of n8n: events go to https addresses only, not to ${url || 'an unknown one'}`;
		const description =
			'The Polling Trigger needs no public address. For this trigger set the environment variable WEBHOOK_URL of n8n to its public address, such as https://n8n.example.com/ (behind a reverse proxy also N8N_PROXY_HOPS=1), restart n8n and publish again.';
		throw operationError(node, notPublic, { description });
	}
	const events = context.getNodeParameter('events', []);
	if (!Array.isArray(events) || events.length === 0)
		throw operationError(node, 'Choose at least one event');
	const { id, name } = context.getWorkflow();
	const description = `n8n: ${node.name} in ${name ?? 'a workflow'} (${id ?? 'not saved'})`;
	return { url, events: events.map(String), description: description.slice(0, 200) };
}

/**
 * Deletes webhooks that have this node's URL: their secret is unknown, because the response of an
 * activation was lost. Does nothing without the scope to list webhooks.
 */
async function deleteLeftovers(
	context: IHookFunctions,
	service: Service,
	url: string,
): Promise<void> {
	// An answer that is no list shows no webhooks.
	const options = { validate: () => undefined, maxAttempts: MAX_ATTEMPTS };
	const client: Parameters<typeof readPages>[0] = {
		request: async (_channel, request) => await service.send(request, options),
	};
	const request = { method: 'GET', path: ENDPOINTS.listWebhooks.path } as const;
	const all = { wanted: Infinity, takesLimit: false };
	const list = await readPages(client, service.host.channel, request, all);
	if (!list.ok) {
		const reason = reasonInLog(context, list, ENDPOINTS.listWebhooks);
		if (refusalOf(list) !== 'forbidden')
			warn(context, `webhooks of an earlier publishing were not looked for: ${reason}`);
		return;
	}
	for (const webhook of list.value.filter(isResource)) {
		if (webhook.url !== url) continue;
		const deleted = await deleteAtService(service, webhook.id);
		if (deleted.ok || isGoneNow(deleted)) continue;
		const reason = reasonInLog(context, deleted, ENDPOINTS.deleteWebhook);
		warn(context, `the webhook ${webhook.id} of an earlier publishing was left: ${reason}`);
	}
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
		// A key may be allowed to write and not to read. Then the node relies on what it remembers.
		if (refusalOf(answer) === 'forbidden') return true;
		const action = `The webhook ${id} cannot be checked`;
		throw serviceError(context, answer, ENDPOINTS.getWebhook, action);
	}
	const current = { url, events, ...(answer.value.body as Json) };
	return current.url === url && sameEvents(current.events, events);
}

/** `secret`, else what ends so, such as `signing_secret`, before `secret_hint` and others that may be it. */
function secretIn(body: Json): string | undefined {
	const names = Object.keys(body).filter((name) => SIGNING_SECRET.test(name));
	const likely = names.filter((name) => /secret$/i.test(name));
	return ['secret', ...likely, ...names]
		.map((name) => textOf(body[name]))
		.find((secret) => secret !== undefined);
}

/**
 * The error for a webhook without an id or a signing secret, which is of no use and is deleted again. It
 * names the fields of the response, and the webhook if it could not be deleted.
 */
async function incompleteError(
	context: IHookFunctions,
	service: Service,
	url: string,
	body: Json,
): Promise<NodeOperationError> {
	const id = textOf(body.id);
	const lacks = id === undefined ? 'an ID' : 'a signing secret';
	let end = 'Webhooks with the address of this node were deleted again.';
	if (id === undefined) {
		await deleteLeftovers(context, service, url);
	} else {
		const deleted = await deleteAtService(service, id);
		end = deleted.ok
			? 'The webhook was deleted again.'
			: `The webhook ${id} was left at the service: delete it (MediaGen Webhook: Delete).`;
	}
	const fields = Object.keys(body).join(', ').slice(0, 1_000) || 'none';
	return operationError(context.getNode(), `The service registered the webhook without ${lacks}`, {
		description: `${end} Fields of the response: ${fields}. Create a webhook elsewhere and choose Create Webhook: By Hand, or use the MediaGen Polling Trigger.`,
	});
}

/**
 * Registers a webhook and leaves none behind when that fails, as far as there is time.
 * @throws when the service refuses, or when its response has no id or no signing secret
 */
async function register(context: IHookFunctions, deadline: AbortSignal): Promise<Registration> {
	const settings = settingsOf(context);
	const { url, events } = settings;
	const service = await openService(context, deadline);
	const { baseUrl, account } = service;
	const endpoint = ENDPOINTS.createWebhook;
	service.requireScope(endpoint.scope);
	await deleteLeftovers(context, service, url);
	// With the key, a repeat after a lost response returns the same webhook and its secret.
	const headers = { [IDEMPOTENCY_HEADER]: randomUUID() };
	const answer = await service.send(
		{ method: 'POST', path: endpoint.path, body: settings, headers },
		{ replayable: true, maxAttempts: MAX_ATTEMPTS },
	);
	if (!answer.ok) {
		const { failure } = answer;
		const mayExist = failure.kind !== 'status' || failure.outcomeUnknown;
		if (mayExist && !deadline.aborted) await deleteLeftovers(context, service, url);
		const error = serviceError(context, answer, endpoint, 'The webhook cannot be registered');
		if (mayExist)
			error.description = `${error.description ?? ''} If the service registered it nevertheless, the next publishing deletes it.`;
		throw error;
	}
	const body = answer.value.body as Json;
	const webhookId = textOf(body.id);
	const secret = secretIn(body);
	if (webhookId === undefined || secret === undefined)
		throw await incompleteError(context, service, url, body);
	const workflowId = context.getWorkflow().id;
	const isTest = context.getMode() === 'manual';
	return { webhookId, workflowId, url, events, secret, baseUrl, account, isTest };
}

const ELSEWHERE = 'Delete it there (MediaGen Webhook: Delete)';

/**
 * Deletes the webhook that is remembered, if it belongs to this node, and forgets it. Static data
 * travels: a copy of a workflow (export and import, public API) remembers the original's webhook, and
 * so does every workflow of a cloned database. A copy has another id; a clone has another address.
 * @returns why the webhook was left at the service; then it is still remembered
 */
async function removeRegistered(
	context: IHookFunctions,
	deadline: AbortSignal,
): Promise<string | undefined> {
	const registration = registrationOf(context);
	if (!registration) return undefined;
	const { webhookId, url, baseUrl, account } = registration;
	const left = (why: string) => `The webhook ${webhookId} was left at the service: ${why}`;
	if (registration.workflowId !== context.getWorkflow().id) {
		// The webhook is that of the original workflow, which still needs it.
		forgetRegistration(context);
		return undefined;
	}
	if (url !== context.getNodeWebhookUrl('default'))
		return left(
			`it has the address ${url}, and another n8n may be using it. If none is, delete it (MediaGen Webhook: Delete)`,
		);
	const service = await openService(context, deadline);
	if (service.baseUrl !== baseUrl)
		return left(
			`it belongs to the old base URL, and the credential leads to another one. ${ELSEWHERE}`,
		);
	// A webhook that has another URL by now belongs to somebody else. A key may be allowed to write and not
	// to read: then the node relies on what it remembers.
	const answer = await service.send(requestFor('GET', webhookId), { retry: false });
	const now = answer.ok && isRecord(answer.value.body) ? answer.value.body.url : undefined;
	const isTaken = typeof now === 'string' && now !== url;
	const deleted = isTaken ? undefined : await deleteAtService(service, webhookId);
	if (deleted && !deleted.ok) {
		if (!isGoneNow(deleted))
			return left(
				`${reasonInLog(context, deleted, ENDPOINTS.deleteWebhook)} Unpublish again, or delete it (MediaGen Webhook: Delete)`,
			);
		// The key may be of another workspace, which never had this webhook.
		if (service.account !== account)
			return left(
				`the API key of the credential has changed, and its workspace does not have this webhook. If nobody has deleted it, delete it with a key of its own workspace (MediaGen Webhook: Delete)`,
			);
	}
	forgetRegistration(context);
	return undefined;
}

/**
 * Deletes the webhook of an earlier publishing. If it cannot be deleted, that is only logged, because another
 * webhook is registered next.
 * @param former the hook that n8n has asked to delete it, if it is still there for that reason
 */
async function replaceRegistered(
	context: IHookFunctions,
	former: IHookFunctions | undefined,
	deadline: AbortSignal,
): Promise<void> {
	const isGoneAlready = former === undefined && savedRegistration(context)?.left !== undefined;
	const left = await removeRegistered(former ?? context, deadline);
	if (left !== undefined && !isGoneAlready) warn(context, left);
	forgetRegistration(context);
}

/** Whether the webhook of an earlier publishing can still be used. If not, it is deleted. */
async function isStillUsable(
	context: IHookFunctions,
	former: IHookFunctions | undefined,
	deadline: AbortSignal,
): Promise<boolean> {
	const registration = savedRegistration(former ?? context);
	if (registration === undefined) return false;
	const { webhookId, url, workflowId, baseUrl, events } = registration;
	const settings = settingsOf(context);
	const service = await openService(context, deadline);
	const isOwn =
		url === settings.url && workflowId === context.getWorkflow().id && baseUrl === service.baseUrl;
	if (
		isOwn &&
		!isBeingLeftElsewhere(registration) &&
		sameEvents(events, settings.events) &&
		(await isStillRegistered(context, service, webhookId, settings))
	) {
		if (registration.left) saveRegistration(context, { ...registration, left: undefined });
		return true;
	}
	await replaceRegistered(context, former, deadline);
	return false;
}

/**
 * Deletes the webhook of a trigger later, unless it is asked for again. Nobody waits for that, so a failure
 * is logged.
 */
function leave(context: IHookFunctions, registration: Registration): void {
	const name = nameOfTrigger(context);
	const left = { by: PROCESS, at: Date.now() };
	saveState(context, { ...registration, left } as unknown as IDataObject);
	unsaved.delete(name);
	deleteLater(name, context, async (deadline) => {
		const { webhookId } = registration;
		const problem = await removeRegistered(context, deadline).catch(
			({ message }: Error) => `The webhook ${webhookId} was left at the service: ${message}`,
		);
		if (problem !== undefined) warn(context, problem);
	});
}

/** What n8n calls when a workflow is published or unpublished, and around a test event. */
export const webhookMethods = {
	async checkExists(this: IHookFunctions): Promise<boolean> {
		if (isByHand(this)) return false;
		const name = nameOfTrigger(this);
		const former = await callBack(name);
		return await runHook(name, async (deadline) => await isStillUsable(this, former, deadline));
	},

	async create(this: IHookFunctions): Promise<boolean> {
		const name = nameOfTrigger(this);
		const former = await callBack(name);
		return await runHook(name, async (deadline) => {
			if (isByHand(this)) await secretFromCredential(this);
			if (isByHand(this) || former) await replaceRegistered(this, former, deadline);
			if (!isByHand(this)) saveRegistration(this, await register(this, deadline));
			return true;
		});
	},

	async delete(this: IHookFunctions): Promise<boolean> {
		const registration = registrationOf(this);
		if (!registration) return true;
		if (!registration.isTest) {
			leave(this, registration);
			return true;
		}
		return await runHook(nameOfTrigger(this), async (deadline) => {
			const left = await removeRegistered(this, deadline);
			if (left !== undefined) warn(this, left);
			return left === undefined;
		});
	},
};
