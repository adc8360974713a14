import { randomUUID } from 'crypto';
import { NodeOperationError, type IHookFunctions } from 'n8n-workflow';
import { ENDPOINTS, IDEMPOTENCY_HEADER } from '../../src/contract';
import { readPages } from '../../src/transport/client/pagination';
import { isRecord } from '../../src/transport/base/types';
import { fieldNames, secretIn, webhookIdIn } from '../../src/webhook/registrationResponse';
import { serviceError, type Service } from '../../src/trigger/connection';

/** What shall be registered. */
export interface Wanted {
	url: string;
	events: string[];
	description: string;
}

/** A webhook at the service, with the secret that is shown only once. */
export interface Registered {
	id: string;
	secret: string;
}

const pathOf = (id: string) => ENDPOINTS.getWebhook.path.replace('{id}', encodeURIComponent(id));

export const sameEvents = (left: unknown, right: readonly string[]): boolean =>
	Array.isArray(left) && [...left].sort().join() === [...right].sort().join();

/** Deletes a webhook; one that is not there any more is as good as deleted. @returns whether it is gone */
async function deleteWebhook({ workspace, host }: Service, id: string): Promise<boolean> {
	const request = { method: 'DELETE', path: pathOf(id) } as const;
	// The body of a delete's answer is not shown, so any will do.
	const answer = await workspace.client.request(host.channel, request, {
		validate: () => undefined,
	});
	if (answer.ok) return true;
	return answer.failure.kind === 'status' && answer.failure.status === 404;
}

/**
 * Deletes the webhook that we have registered, unless somebody has given it another URL since: then it is theirs.
 * @returns false when it stands there still with our URL
 */
export async function deleteOwn(service: Service, id: string, url: string): Promise<boolean> {
	const { workspace, host } = service;
	const request = { method: 'GET', path: pathOf(id) } as const;
	// What cannot be looked at (a key may write and not read) is as we remember it.
	const answer = await workspace.client.request(host.channel, request, { once: true });
	const now = answer.ok && isRecord(answer.value.body) ? answer.value.body : {};
	if (typeof now.url === 'string' && now.url !== url) return true;
	return await deleteWebhook(service, id);
}

/**
 * Deletes what stands at our URL already: nobody knows its secret any more, so it can only be what an activation has left
 * behind whose answer was lost. Without the scope to look nothing is done.
 */
async function deleteLeftovers(service: Service, url: string): Promise<void> {
	const { workspace, host } = service;
	const request = { method: 'GET', path: ENDPOINTS.listWebhooks.path } as const;
	const query = { wanted: Infinity, takesLimit: false };
	const list = await readPages(workspace.client, host.channel, request, query);
	for (const entry of list.ok ? list.value : []) {
		if (!isRecord(entry) || entry.url !== url || typeof entry.id !== 'string') continue;
		await deleteWebhook(service, entry.id);
	}
}

/**
 * Whether the webhook still stands at the service with this URL and these events. Only fields that the answer has are
 * compared, as they are not shown (specification: Other response bodies).
 * @throws when that cannot be found out
 */
export async function stillStands(
	context: IHookFunctions,
	{ workspace, host }: Service,
	id: string,
	{ url, events }: Wanted,
): Promise<boolean> {
	const request = { method: 'GET', path: pathOf(id) } as const;
	const answer = await workspace.client.request(host.channel, request);
	if (!answer.ok) {
		const { failure } = answer;
		const status = failure.kind === 'status' ? failure.status : 0;
		if (status === 404) return false;
		// A key that may write webhooks but not read them: what we remember has to do.
		if (status === 403) return true;
		throw serviceError(context, answer, ENDPOINTS.getWebhook, 'The webhook cannot be checked');
	}
	const now = isRecord(answer.value.body) ? answer.value.body : {};
	const isSameUrl = now.url === undefined || now.url === url;
	return isSameUrl && (now.events === undefined || sameEvents(now.events, events));
}

/**
 * Registers a webhook and leaves none behind when that fails.
 * @throws when the service refuses, or when its answer has no id or no signing secret; the names of its fields are told
 */
export async function register(
	context: IHookFunctions,
	service: Service,
	wanted: Wanted,
): Promise<Registered> {
	const { workspace, host } = service;
	await deleteLeftovers(service, wanted.url);
	// The key makes a repeat after a lost answer give the same webhook with its secret.
	const headers = { [IDEMPOTENCY_HEADER]: randomUUID() };
	const request = {
		method: 'POST',
		path: ENDPOINTS.createWebhook.path,
		body: wanted,
		headers,
	} as const;
	const answer = await workspace.client.request(host.channel, request, { replayable: true });
	if (!answer.ok) {
		const { failure } = answer;
		if (failure.kind !== 'status' || failure.unclear) await deleteLeftovers(service, wanted.url);
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
	else await deleteLeftovers(service, wanted.url);
	const missing = id === undefined ? 'an ID' : 'a signing secret';
	throw new NodeOperationError(
		context.getNode(),
		`The service registered the webhook without ${missing}`,
		{
			description: `The webhook was deleted again. Fields of the answer: ${fieldNames(body)}. Create a webhook elsewhere and choose Registration: By Hand, or use the MediaGen Polling Trigger.`,
		},
	);
}
