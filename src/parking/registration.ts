import { randomUUID } from 'crypto';
import { ENDPOINTS, IDEMPOTENCY_HEADER, type EventKind } from '../contract';
import { fail, ok, type Result } from '../transport/base/result';
import { readPages } from '../transport/client/pagination';
import type { Service } from '../trigger/connection';
import { fieldNames, secretIn, webhookIdIn } from '../webhook/registrationResponse';

/** A webhook that may be of a parked execution, as the service lists it. */
export interface Listed {
	id: string;
	url: string;
	/** When the timer resumes its execution, in milliseconds since 1970; infinite if it is not shown. */
	until: number;
}

const PREFIX = 'n8n-nodes-mediagen: parked wait until ';

/** Marks webhooks of parked executions, with the time at which they become useless. */
const descriptionOf = (until: Date): string => `${PREFIX}${until.toISOString()}`;

/**
 * The time in a description; `undefined` in that of somebody else's webhook. A service need not show
 * descriptions (specification: Other response bodies): a webhook is recognised by its URL then.
 */
function untilIn(description: unknown): number | undefined {
	if (typeof description !== 'string') return Infinity;
	if (!description.startsWith(PREFIX)) return undefined;
	const until = Date.parse(description.slice(PREFIX.length));
	return Number.isNaN(until) ? undefined : until;
}

/** All webhooks that may be of parked executions, as far as the key can see them. */
export async function listParked({ workspace, host, allows }: Service): Promise<Listed[]> {
	if (!allows(ENDPOINTS.listWebhooks.scope)) return [];
	const request = { method: 'GET', path: ENDPOINTS.listWebhooks.path } as const;
	// A body that is not a list shows none; to ask again would only delay the parking.
	const query = { wanted: Infinity, takesLimit: false, mayBeNoList: true };
	const list = await readPages(workspace.client, host.channel, request, query);
	return (list.ok ? list.value : []).flatMap((entry) => {
		const { url, description } = entry;
		const id = webhookIdIn(entry);
		const until = untilIn(description);
		if (until === undefined || id === undefined || typeof url !== 'string') return [];
		return [{ id, url, until }];
	});
}

/** Removes a webhook. If that fails, a later parking run removes it. */
export async function removeWebhook({ workspace, host }: Service, id: string): Promise<void> {
	const path = ENDPOINTS.deleteWebhook.path.replace('{id}', encodeURIComponent(id));
	// The specification shows no response body for DELETE (Other response bodies), so any is
	// accepted.
	const options = { validate: () => undefined };
	await workspace.client.request(host.channel, { method: 'DELETE', path }, options);
}

/** Registers a webhook for these events. The service shows its secret only in this response. */
export async function registerWebhook(
	service: Service,
	url: string,
	events: readonly EventKind[],
	until: Date,
): Promise<Result<{ id: string; secret: string }>> {
	const { workspace, host } = service;
	// With the key, a repeat after a lost response returns the same webhook and its secret.
	const headers = { [IDEMPOTENCY_HEADER]: randomUUID() };
	const body = { url, events, description: descriptionOf(until) };
	const { path } = ENDPOINTS.createWebhook;
	const request = { method: 'POST', path, body, headers } as const;
	const answer = await workspace.client.request(host.channel, request, { replayable: true });
	if (!answer.ok) return { ...answer, endpoint: ENDPOINTS.createWebhook };
	const created = answer.value.body as Record<string, unknown>;
	const id = webhookIdIn(created);
	const secret = secretIn(created);
	if (id !== undefined && secret !== undefined) return ok({ id, secret });
	if (id !== undefined) await removeWebhook(service, id);
	const missing = id === undefined ? 'an ID' : 'a signing secret';
	const problem = `the webhook has no ${missing}; fields of the response: ${fieldNames(created)}`;
	return fail({ kind: 'badResponse', status: answer.value.status, problem });
}
