import { randomUUID } from 'crypto';
import type { IHookFunctions, NodeOperationError } from 'n8n-workflow';
import {
	ENDPOINTS,
	IDEMPOTENCY_HEADER,
	isRecord,
	SIGNING_SECRET,
	textOf,
	type Json,
} from '../../src/api';
import { isResource } from '../../src/base/types';
import { operationError } from '../../src/n8n/output/errors';
import { readPages } from '../../src/transport/pages';
import { refusalOf, saysGone } from '../../src/transport/statuses';
import { warn } from '../../src/trigger/log';
import { openService, reasonInLog, serviceError, type Service } from '../../src/trigger/service';

/* The webhook of a trigger at the service: what is asked for it, and what the answers mean. */

/** A webhook as it was registered. */
export interface Registered {
	webhookId: string;
	url: string;
	events: string[];
	secret: string;
	baseUrl: string;
	/** Names the key with which it was registered; see `Service`. */
	account: string;
}

/**
 * How often a request is tried. More is not needed: n8n 2 tries to publish five times, and in n8n 1 a user
 * waits.
 */
const MAX_ATTEMPTS = 3;

/**
 * The body of the request that registers the webhook. Specification: CreateWebhook.
 * @throws if the service does not deliver to the URL, or no event is chosen
 */
export function wantedWebhook(context: IHookFunctions) {
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

const requestFor = (method: 'GET' | 'DELETE', id: string) => ({
	method,
	path: ENDPOINTS.getWebhook.path.replace('{id}', encodeURIComponent(id)),
});

export const sameEvents = (left: unknown, right: readonly string[]): boolean =>
	Array.isArray(left) && [...left].sort().join() === [...right].sort().join();

/** Deletes a webhook. The specification shows no response body for that, so any is accepted. */
export const deleteAtService = async ({ send }: Service, id: string) =>
	await send(requestFor('DELETE', id), { validate: () => undefined, maxAttempts: MAX_ATTEMPTS });

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
		if (deleted.ok || saysGone(deleted)) continue;
		const reason = reasonInLog(context, deleted, ENDPOINTS.deleteWebhook);
		warn(context, `the webhook ${webhook.id} of an earlier publishing was left: ${reason}`);
	}
}

/**
 * Whether the webhook is still registered with its URL and its events. Only fields that the
 * response has are compared, because the specification does not show them (Other response bodies).
 * @throws if the webhook cannot be checked
 */
export async function isStillRegistered(
	context: IHookFunctions,
	{ send }: Service,
	id: string,
	{ url, events }: ReturnType<typeof wantedWebhook>,
): Promise<boolean> {
	const answer = await send(requestFor('GET', id), { maxAttempts: MAX_ATTEMPTS });
	if (!answer.ok) {
		if (saysGone(answer)) return false;
		// A key may be allowed to write and not to read. Then the node relies on what it remembers.
		if (refusalOf(answer) === 'forbidden') return true;
		const action = `The webhook ${id} cannot be checked`;
		throw serviceError(context, answer, ENDPOINTS.getWebhook, action);
	}
	const current = { url, events, ...(answer.value.body as Json) };
	return current.url === url && sameEvents(current.events, events);
}

/** The URL that a webhook has at the service; `undefined` if that cannot be read. */
export async function urlAtService({ send }: Service, id: string): Promise<string | undefined> {
	const answer = await send(requestFor('GET', id), { retry: false });
	const url = answer.ok && isRecord(answer.value.body) ? answer.value.body.url : undefined;
	return typeof url === 'string' ? url : undefined;
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
export async function register(
	context: IHookFunctions,
	deadline: AbortSignal,
): Promise<Registered> {
	const wanted = wantedWebhook(context);
	const { url, events } = wanted;
	const service = await openService(context, deadline);
	const { baseUrl, account } = service;
	const endpoint = ENDPOINTS.createWebhook;
	service.requireScope(endpoint.scope);
	await deleteLeftovers(context, service, url);
	// With the key, a repeat after a lost response returns the same webhook and its secret.
	const headers = { [IDEMPOTENCY_HEADER]: randomUUID() };
	const answer = await service.send(
		{ method: 'POST', path: endpoint.path, body: wanted, headers },
		{ replayable: true, maxAttempts: MAX_ATTEMPTS },
	);
	if (!answer.ok) {
		const { failure } = answer;
		const mayExist = failure.kind !== 'status' || failure.outcomeUnknown;
		if (mayExist && deadline.aborted)
			warn(
				context,
				`a webhook with the address ${url} may have been left at the service, which did not answer in time. The next publishing deletes it`,
			);
		else if (mayExist) await deleteLeftovers(context, service, url);
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
	return { webhookId, url, events, secret, baseUrl, account };
}
