import { randomUUID } from 'crypto';
import { NodeOperationError, type IHookFunctions } from 'n8n-workflow';
import { ENDPOINTS, IDEMPOTENCY_HEADER } from '../../src/contract';
import { readPages } from '../../src/transport/http/pages';
import type { Failed } from '../../src/transport/base/result';
import { isRecord } from '../../src/transport/base/types';
import { fieldNames, secretIn, webhookIdIn } from '../../src/webhook/registrationResponse';
import { serviceError, type Service } from '../../src/trigger/connection';

/** The webhook that should be registered. */
export interface WebhookSettings {
	url: string;
	events: string[];
	description: string;
}

/** A webhook at the service, with the secret that is shown only once. */
export interface Registered {
	id: string;
	secret: string;
}

/**
 * Attempts to list or register webhooks: n8n 2 tries an activation five times itself, and in n8n 1 a
 * user waits for it.
 */
const MAX_ATTEMPTS = 3;

const pathOf = (id: string) => ENDPOINTS.getWebhook.path.replace('{id}', encodeURIComponent(id));

/** Whether both name the same events, in any order. */
export const sameEvents = (left: unknown, right: readonly string[]): boolean =>
	Array.isArray(left) && [...left].sort().join() === [...right].sort().join();

const statusOf = ({ failure }: Failed) => (failure.kind === 'status' ? failure.status : 0);

/** The specification shows no status for a webhook that does not exist (Errors). */
const isGone = (failed: Failed) => [404, 410].includes(statusOf(failed));

/** Deletes a webhook. @returns whether it no longer exists */
async function deleteWebhook({ workspace, host }: Service, id: string): Promise<boolean> {
	const request = { method: 'DELETE', path: pathOf(id) } as const;
	// The specification shows no response body for DELETE, so any is accepted.
	const answer = await workspace.client.request(host.channel, request, {
		validate: () => undefined,
	});
	if (answer.ok) return true;
	return isGone(answer);
}

/**
 * Deletes the webhook that this node registered, unless it has been given another URL since: then
 * it belongs to somebody else.
 * @returns false if it still exists with this node's URL
 */
export async function deleteOwn(service: Service, id: string, url: string): Promise<boolean> {
	const { workspace, host } = service;
	const request = { method: 'GET', path: pathOf(id) } as const;
	// A key may write but not read: then what we remember has to do.
	const answer = await workspace.client.request(host.channel, request, { retry: false });
	const now = answer.ok && isRecord(answer.value.body) ? answer.value.body : {};
	if (typeof now.url === 'string' && now.url !== url) return true;
	return await deleteWebhook(service, id);
}

/**
 * Deletes webhooks that already have this node's URL: their secret is unknown, so they were left by
 * an activation whose response was lost. Does nothing without the scope to list webhooks.
 */
async function deleteLeftovers(service: Service, url: string): Promise<void> {
	const { workspace, host } = service;
	const request = { method: 'GET', path: ENDPOINTS.listWebhooks.path } as const;
	// A service that answers something else has none to show; to ask again would only delay n8n.
	const query = {
		wanted: Infinity,
		takesLimit: false,
		mayBeNoList: true,
		maxAttempts: MAX_ATTEMPTS,
	};
	const list = await readPages(workspace.client, host.channel, request, query);
	for (const entry of list.ok ? list.value : []) {
		const id = entry.url === url ? webhookIdIn(entry) : undefined;
		if (id !== undefined) await deleteWebhook(service, id);
	}
}

/**
 * Whether the webhook is still registered with this URL and these events. Only fields that the
 * response has are compared, because the specification does not show them (Other response bodies).
 * @throws if the webhook cannot be checked
 */
export async function isStillRegistered(
	context: IHookFunctions,
	{ workspace, host }: Service,
	id: string,
	{ url, events }: WebhookSettings,
): Promise<boolean> {
	const request = { method: 'GET', path: pathOf(id) } as const;
	const options = { maxAttempts: MAX_ATTEMPTS };
	const answer = await workspace.client.request(host.channel, request, options);
	if (!answer.ok) {
		if (isGone(answer)) return false;
		// It may be written but not read, by this key or at all: what we remember has to do.
		if ([403, 405, 501].includes(statusOf(answer))) return true;
		throw serviceError(context, answer, ENDPOINTS.getWebhook, 'The webhook cannot be checked');
	}
	const current = isRecord(answer.value.body) ? answer.value.body : {};
	const isSameUrl = current.url === undefined || current.url === url;
	return isSameUrl && (current.events === undefined || sameEvents(current.events, events));
}

/**
 * Registers a webhook and leaves none behind when that fails.
 * @throws when the service refuses, or when its response has no id or no signing secret; the error
 * lists the names of its fields
 */
export async function register(
	context: IHookFunctions,
	service: Service,
	settings: WebhookSettings,
): Promise<Registered> {
	const { workspace, host } = service;
	await deleteLeftovers(service, settings.url);
	// With the key, a repeat after a lost response returns the same webhook and its secret.
	const headers = { [IDEMPOTENCY_HEADER]: randomUUID() };
	const request = {
		method: 'POST',
		path: ENDPOINTS.createWebhook.path,
		body: settings,
		headers,
	} as const;
	const options = { replayable: true, maxAttempts: MAX_ATTEMPTS };
	const answer = await workspace.client.request(host.channel, request, options);
	if (!answer.ok) {
		const { failure } = answer;
		if (failure.kind !== 'status' || failure.outcomeUnknown)
			await deleteLeftovers(service, settings.url);
		throw serviceError(
			context,
			answer,
			ENDPOINTS.createWebhook,
			'The webhook cannot be registered',
		);
	}
	const body = answer.value.body as Record<string, unknown>;
	const id = webhookIdIn(body);
	const secret = secretIn(body);
	if (id !== undefined && secret !== undefined) return { id, secret };
	if (id !== undefined) await deleteWebhook(service, id);
	else await deleteLeftovers(service, settings.url);
	const missing = id === undefined ? 'an ID' : 'a signing secret';
	throw new NodeOperationError(
		context.getNode(),
		`The service registered the webhook without ${missing}`,
		{
			description: `The webhook was deleted again. Fields of the response: ${fieldNames(body)}. Create a webhook elsewhere and choose Registration: By Hand, or use the MediaGen Polling Trigger.`,
		},
	);
}
