import type { DeliveryEntity, WebhookEntity } from '../entities';
import type { Handlers } from '../http/operation';
import { collection, listOf, ok } from './collection';

const webhooks = collection('webhook', (workspace) => workspace.webhooks, formatWebhook);

export const webhookOperations = {
	createWebhook({ workspace, body }) {
		const { ids, clock } = workspace.service;
		const entity = workspace.webhooks.put({
			id: ids.next('wh'),
			workspace: workspace.id,
			createdAt: workspace.webhooks.stamp(clock.now()),
			url: body.url,
			description: body.description ?? null,
			events: [...new Set(body.events)],
			secret: `whsec_${ids.secret()}`,
		});
		return { status: 201, body: { ...formatWebhook(entity), secret: entity.secret } };
	},
	listWebhooks: webhooks.list,
	getWebhook: webhooks.get,
	updateWebhook({ workspace, id, body }) {
		const entity = webhooks.find({ workspace, id });
		entity.url = body.url ?? entity.url;
		entity.description = body.description ?? entity.description;
		entity.events = body.events ? [...new Set(body.events)] : entity.events;
		return ok(formatWebhook(workspace.webhooks.put(entity)));
	},
	deleteWebhook: webhooks.remove,
	listDeliveries({ workspace, id, query }) {
		webhooks.find({ workspace, id });
		return listOf(workspace, workspace.deliveriesOf(id), query, formatDelivery);
	},
} satisfies Partial<Handlers>;

/** A webhook as it goes over the wire, without its secret. Open point 9. */
function formatWebhook({ id, url, description, events }: WebhookEntity) {
	return { id, object: 'webhook', url, ...(description !== null && { description }), events };
}

/** A delivery attempt. Open point 14: its fields are not shown. */
function formatDelivery(entity: DeliveryEntity) {
	const { id, webhookId, eventId, event, attempt, nextAttemptAt } = entity;
	return {
		id,
		object: 'webhook_delivery',
		webhook_id: webhookId,
		event_id: eventId,
		event,
		attempt,
		// The service does not know what was lost on the way.
		status: entity.state === 'failed' ? 'failed' : 'succeeded',
		response_status: entity.responseStatus,
		error: entity.state === 'lost' ? null : entity.error,
		attempted_at: new Date(entity.attemptedAt).toISOString(),
		duration_ms: entity.durationMs,
		next_attempt_at: nextAttemptAt === null ? null : new Date(nextAttemptAt).toISOString(),
	};
}
