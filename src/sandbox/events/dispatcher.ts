import type { EventKind } from '../../contract';
import { SIGNATURE_HEADERS } from '../../contract';
import { sign } from '../../webhook/signature';
import type { DeliveryEntity, PendingDelivery, WebhookEntity } from '../entities';
import type { FaultRule } from '../faults';
import type { Service } from '../service';
import type { Workspace } from '../store';
import { eventBody } from './payload';
import { post, type Posted } from './post';

/**
 * Brings events to the webhooks that want them: signed, tried again on a schedule until one attempt
 * succeeds, each attempt recorded. Faults can lose, delay, double, reorder or tamper with deliveries.
 */
export class Dispatcher {
	/** Deliveries held back until the webhook's next one is sent. */
	private readonly held = new Map<string, PendingDelivery[]>();
	private readonly running = new Set<Promise<void>>();
	private closed = false;

	constructor(
		private readonly service: () => Service,
		private readonly ca?: string,
	) {}

	/** Tells all webhooks of the workspace that want this event. */
	emit(workspace: Workspace, event: EventKind, resource: () => object): void {
		const wanting = workspace.webhooks.all().filter(({ events }) => events.includes(event));
		if (wanting.length === 0) return;
		const { ids, clock, settings } = this.service();
		const eventId = ids.next('evt');
		const body = eventBody(eventId, event, clock.now(), resource(), settings);
		for (const webhook of wanting.reverse()) this.begin(workspace, webhook, eventId, event, body);
	}

	/** Takes a delivery up again after a restart. */
	resume(pending: PendingDelivery): void {
		this.schedule(pending);
	}

	/** Resolves when no attempt is on its way. */
	async idle(): Promise<void> {
		while (this.running.size > 0) await Promise.all(this.running);
	}

	/** Begins no further attempt, and waits for those on their way. */
	async close(): Promise<void> {
		this.closed = true;
		await this.idle();
	}

	private begin(
		workspace: Workspace,
		webhook: WebhookEntity,
		eventId: string,
		event: EventKind,
		body: string,
	): void {
		const { clock, settings, faults, ids } = this.service();
		const subject = { workspace: workspace.id, event };
		const delay = faults.strike('delivery_delay', subject)?.seconds ?? 0;
		const copies = faults.strike('delivery_duplicate', subject)?.copies ?? 0;
		const held = faults.strike('delivery_reorder', subject);
		const dueAt = clock.ahead(settings.deliverySchedule[0] + delay);
		const pending = Array.from({ length: 1 + copies }, (_, copy): PendingDelivery => {
			const [id, fault] = [ids.next('dlv'), copy > 0 ? 'delivery_duplicate' : null];
			const base = { id, workspace: workspace.id, webhookId: webhook.id, eventId, event, body };
			return { ...base, attempt: 1, dueAt, fault: fault ?? (delay > 0 ? 'delivery_delay' : null) };
		});
		if (held) this.hold(webhook.id, pending, held);
		else {
			pending.forEach((each) => this.schedule(each));
			this.letGo(webhook.id);
		}
	}

	/** Held deliveries go after the webhook's next one, or alone when none comes in time. */
	private hold(webhookId: string, pending: PendingDelivery[], { seconds }: FaultRule): void {
		const held = pending.map((each) => ({ ...each, fault: 'delivery_reorder' }));
		this.held.set(webhookId, [...(this.held.get(webhookId) ?? []), ...held]);
		this.service().clock.after(seconds, () => this.letGo(webhookId));
	}

	private letGo(webhookId: string): void {
		const held = this.held.get(webhookId) ?? [];
		this.held.delete(webhookId);
		const { clock } = this.service();
		for (const each of held) this.schedule({ ...each, dueAt: clock.ahead(1) });
	}

	private schedule(pending: PendingDelivery): void {
		const { clock, store } = this.service();
		store.keeper.put('pending', pending.id, pending);
		clock.at(pending.dueAt, () => {
			if (this.closed) return;
			const attempt = this.attempt(pending).catch((fault) => this.service().report(fault));
			this.running.add(attempt);
			void attempt.finally(() => this.running.delete(attempt));
		});
	}

	private async attempt(pending: PendingDelivery): Promise<void> {
		const { store, faults, clock, settings } = this.service();
		const workspace = store.workspaces.get(pending.workspace);
		const webhook = workspace?.webhooks.get(pending.webhookId);
		store.keeper.remove('pending', pending.id);
		if (!workspace || !webhook) return;
		const subject = { workspace: workspace.id, event: pending.event };
		const attemptedAt = clock.now();
		const timestamp = String(Math.floor(attemptedAt / 1000));
		const signature = sign(webhook.secret, timestamp, pending.body);
		const record = (result: Posted, state: DeliveryEntity['state'], fault: string | null) =>
			this.record(workspace, webhook, pending, {
				...{ attemptedAt, timestamp, signature, state, fault: fault ?? pending.fault },
				...{ responseStatus: result.status, error: result.error, durationMs: result.durationMs },
			});
		if (faults.strike('delivery_lose', subject)) {
			const nothing = { status: null, error: 'lost on the way', durationMs: 0 };
			return void record(nothing, 'lost', 'delivery_lose');
		}
		const tampered = faults.strike('delivery_tamper', subject);
		const bytes = Buffer.from(pending.body);
		if (tampered) bytes[bytes.length - 1] ^= 1;
		const headers = {
			'content-type': 'application/json',
			'user-agent': 'media-generation-sandbox',
			[SIGNATURE_HEADERS.timestamp]: timestamp,
			[SIGNATURE_HEADERS.signature]: signature,
		};
		const timeout = Math.max(100, clock.milliseconds(settings.deliveryTimeout));
		const result = await post(webhook.url, headers, bytes, timeout, this.ca);
		const good = isSuccess(result.status, settings.deliverySuccess);
		const fault = tampered ? 'delivery_tamper' : null;
		const entity = record(result, good ? 'succeeded' : 'failed', fault);
		if (!good) this.retry(pending, workspace, entity);
	}

	private retry(pending: PendingDelivery, workspace: Workspace, entity: DeliveryEntity): void {
		const { clock, settings, ids } = this.service();
		const pause = settings.deliverySchedule.at(pending.attempt);
		if (pause === undefined || this.closed) return;
		const dueAt = clock.ahead(pause);
		entity.nextAttemptAt = dueAt;
		workspace.deliveriesOf(entity.webhookId).put(entity);
		this.schedule({
			...pending,
			id: ids.next('dlv'),
			attempt: pending.attempt + 1,
			dueAt,
			fault: null,
		});
	}

	private record(
		workspace: Workspace,
		webhook: WebhookEntity,
		{ id, eventId, event, attempt, body }: PendingDelivery,
		outcome: Pick<
			DeliveryEntity,
			| 'attemptedAt'
			| 'timestamp'
			| 'signature'
			| 'responseStatus'
			| 'error'
			| 'durationMs'
			| 'fault'
			| 'state'
		>,
	): DeliveryEntity {
		const table = workspace.deliveriesOf(webhook.id);
		return table.put({
			id,
			workspace: workspace.id,
			createdAt: table.stamp(outcome.attemptedAt),
			webhookId: webhook.id,
			eventId,
			event,
			attempt,
			body,
			url: webhook.url,
			nextAttemptAt: null,
			...outcome,
		});
	}
}

function isSuccess(status: number | null, success: '2xx' | '2xx-3xx'): boolean {
	return status !== null && status >= 200 && status < (success === '2xx' ? 300 : 400);
}
