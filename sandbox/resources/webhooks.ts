import type { Webhook, WebhookDelivery } from '../bodies';
import { formatMilliseconds } from '../clock';
import type { DeliveryEntity, WebhookEntity } from '../entities';
import { found } from '../errors';
import type { Operation } from '../http/operation';
import type { Service } from '../service';
import type { Workspace } from '../store';
import { ok, deleted, listAll } from './job';

export function webhooks(operation: Operation, service: Service): void {
	const find = (workspace: Workspace, id: string) =>
		found(workspace.webhooks.get(id), 'The webhook');

	operation('createWebhook', ({ workspace, body }) => {
		const entity = workspace.webhooks.put({
			id: service.ids.next('wh'),
			workspace: workspace.id,
			createdAt: workspace.webhooks.stamp(service.clock.now()),
			url: body.url,
			description: body.description ?? null,
			events: [...new Set(body.events)],
			secret: `whsec_${service.ids.secret()}`,
		});
		return { status: 201, body: { ...formatWebhook(entity), secret: entity.secret } };
	});

	operation('listWebhooks', ({ workspace, query }) =>
		ok(listAll(service, workspace.webhooks, query, formatWebhook)),
	);

	operation('getWebhook', ({ workspace, id }) => ok(formatWebhook(find(workspace, id))));

	operation('updateWebhook', ({ workspace, id, body }) => {
		const entity = find(workspace, id);
		entity.url = body.url ?? entity.url;
		entity.description = body.description ?? entity.description;
		entity.events = body.events ? [...new Set(body.events)] : entity.events;
		return ok(formatWebhook(workspace.webhooks.put(entity)));
	});

	operation('deleteWebhook', ({ workspace, id }) => {
		find(workspace, id);
		workspace.webhooks.delete(id);
		return deleted('webhook', id);
	});

	operation('listDeliveries', ({ workspace, id, query }) => {
		find(workspace, id);
		const table = workspace.deliveriesOf(id);
		return ok(listAll(service, table, query, formatDelivery));
	});
}

/** A webhook as it goes over the wire, without its secret. Open point 9. */
function formatWebhook({ id, url, description, events }: WebhookEntity): Webhook {
	return { id, object: 'webhook', url, ...(description !== null && { description }), events };
}

/** A delivery attempt. Open point 14: its fields are not shown. */
function formatDelivery(entity: DeliveryEntity): WebhookDelivery {
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
		attempted_at: formatMilliseconds(entity.attemptedAt),
		duration_ms: entity.durationMs,
		next_attempt_at: nextAttemptAt === null ? null : formatMilliseconds(nextAttemptAt),
	};
}
