import type { Webhook, WebhookDelivery } from '../../contract';
import type { DeliveryEntity, WebhookEntity } from '../state/entities';
import { formatMilliseconds } from './date';

/** A webhook as it goes over the wire, without its secret. Open point 9. */
export function formatWebhook({ id, url, description, events }: WebhookEntity): Webhook {
	return { id, object: 'webhook', url, ...(description !== null && { description }), events };
}

/** A delivery attempt. Open point 14: its fields are not shown. */
export function formatDelivery(entity: DeliveryEntity): WebhookDelivery {
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
