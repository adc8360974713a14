import { SIGNATURE_HEADERS } from '../../contract';
import { sign } from '../../events/signature';
import type { DeliveryEntity, PendingDelivery, WebhookEntity } from '../state/entities';
import type { DeliveryContext } from './context';
import type { Workspace } from '../state/store';
import { post } from './post';

type Outcome = Pick<DeliveryEntity, 'state' | 'responseStatus' | 'error' | 'durationMs'>;

/**
 * An attempt shorter than this would be cut off by the machine's own slowness at a high clock
 * scale.
 */
const SHORTEST_TIMEOUT = 1000;

/** Makes one attempt: signs the event at this moment, sends it, and records how it went. */
export async function attemptDelivery(
	service: DeliveryContext,
	workspace: Workspace,
	webhook: WebhookEntity,
	pending: PendingDelivery,
	ca?: string,
): Promise<DeliveryEntity> {
	const { faults, clock } = service;
	const subject = { workspace: workspace.id, event: pending.event };
	const attemptedAt = clock.now();
	const timestamp = String(Math.floor(attemptedAt / 1000));
	const signature = sign(webhook.secret, timestamp, pending.body);
	const lost = faults.take('delivery_lose', subject);
	const tampered = lost ? undefined : faults.take('delivery_tamper', subject);
	const bytes = Buffer.from(pending.body);
	if (tampered) bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
	const outcome = lost ? LOST : await send(service, webhook.url, bytes, timestamp, signature, ca);
	const table = workspace.deliveriesOf(webhook.id);
	const { id, eventId, event, attempt, body } = pending;
	return table.put({
		id,
		workspace: workspace.id,
		createdAt: table.stamp(attemptedAt),
		webhookId: webhook.id,
		eventId,
		event,
		attempt,
		body,
		url: webhook.url,
		attemptedAt,
		timestamp,
		signature,
		nextAttemptAt: null,
		fault: lost?.kind ?? tampered?.kind ?? pending.fault,
		...outcome,
	});
}

const LOST: Outcome = {
	state: 'lost',
	responseStatus: null,
	error: 'lost on the way',
	durationMs: 0,
};

async function send(
	{ clock, settings }: DeliveryContext,
	url: string,
	bytes: Buffer,
	timestamp: string,
	signature: string,
	ca: string | undefined,
): Promise<Outcome> {
	const headers = {
		'content-type': 'application/json',
		'user-agent': 'media-generation-sandbox',
		[SIGNATURE_HEADERS.timestamp]: timestamp,
		[SIGNATURE_HEADERS.signature]: signature,
	};
	const timeout = Math.max(SHORTEST_TIMEOUT, clock.milliseconds(settings.deliveryTimeout));
	const { status, error, durationMs } = await post(url, headers, bytes, timeout, ca);
	const most = settings.deliverySuccess === '2xx' ? 300 : 400;
	const good = status !== null && status >= 200 && status < most;
	return { state: good ? 'succeeded' : 'failed', responseStatus: status, error, durationMs };
}
