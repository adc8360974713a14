import pLimit, { type Limit } from 'p-limit';
import type { EventKind } from '../../contract';
import type { DeliveryEntity, PendingDelivery, WebhookEntity } from '../state/entities';
import type { FaultRule } from '../http/faults';
import type { DeliveryContext } from './context';
import type { Workspace } from '../state/store';
import { attemptDelivery } from './attempt';
import { eventBody } from './payload';
import { elementAt } from '../elementAt';

/**
 * Attempts under way to one receiver at a time, as a service's workers would: a thousand events for
 * fifty webhooks would otherwise be fifty thousand connections.
 */
const ATTEMPTS_AT_ONCE = 20;

/**
 * Brings events to the webhooks that want them: signed, tried again on a schedule until one attempt
 * succeeds, each attempt recorded. Faults can lose, delay, double, reorder or tamper with
 * deliveries.
 */
export class Dispatcher {
	/** Deliveries held back until the webhook's next one is sent. */
	private readonly held = new Map<string, PendingDelivery[]>();
	private readonly running = new Set<Promise<void>>();
	/** By the origin of the receiver. */
	private readonly limits = new Map<string, Limit>();
	private closed = false;

	constructor(
		private readonly service: () => DeliveryContext,
		private readonly ca?: string,
	) {}

	/** Notifies all webhooks of the workspace that subscribe to this event. */
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
		const delay = faults.take('delivery_delay', subject)?.seconds ?? 0;
		const copies = faults.take('delivery_duplicate', subject)?.copies ?? 0;
		const held = faults.take('delivery_reorder', subject);
		const dueAt = clock.ahead(elementAt(settings.deliverySchedule, 0) + delay);
		const pending = Array.from({ length: 1 + copies }, (_, copy): PendingDelivery => {
			const [id, fault] = [ids.next('dlv'), copy > 0 ? 'delivery_duplicate' : null];
			const base = { id, workspace: workspace.id, webhookId: webhook.id, eventId, event, body };
			return { ...base, attempt: 1, dueAt, fault: fault ?? (delay > 0 ? 'delivery_delay' : null) };
		});
		if (held) this.hold(webhook.id, pending, held);
		else pending.forEach((each) => this.schedule(each));
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
		const dueAt = this.service().clock.now();
		for (const each of held) this.schedule({ ...each, dueAt });
	}

	private schedule(pending: PendingDelivery): void {
		const { clock, store } = this.service();
		store.persistence.put('pending', pending.id, pending);
		clock.at(pending.dueAt, () => {
			if (this.closed) return;
			const attempt = this.carryOut(pending).catch((fault) => this.service().report(fault));
			this.running.add(attempt);
			void attempt.finally(() => this.running.delete(attempt));
		});
	}

	/**
	 * It stays among the pending until it is recorded: a kill in between repeats it, and loses
	 * nothing.
	 */
	private async carryOut(pending: PendingDelivery): Promise<void> {
		const webhook = this.webhookOf(pending);
		if (webhook) await this.limitOf(webhook)(async () => await this.attempt(pending));
		else this.drop(pending);
	}

	private async attempt(pending: PendingDelivery): Promise<void> {
		// Sent after the next start.
		if (this.closed) return;
		const service = this.service();
		const workspace = service.store.workspaces.get(pending.workspace);
		// Deleted, maybe, while the delivery waited for others.
		const webhook = this.webhookOf(pending);
		if (workspace && webhook) {
			const entity = await attemptDelivery(service, workspace, webhook, pending, this.ca);
			if (entity.state === 'failed') this.retry(pending, workspace, entity);
		}
		this.drop(pending);
	}

	private webhookOf({ workspace, webhookId }: PendingDelivery): WebhookEntity | undefined {
		return this.service().store.workspaces.get(workspace)?.webhooks.get(webhookId);
	}

	private limitOf({ url }: WebhookEntity): Limit {
		const { origin } = new URL(url);
		const limit = this.limits.get(origin) ?? pLimit(ATTEMPTS_AT_ONCE);
		this.limits.set(origin, limit);
		return limit;
	}

	private drop(pending: PendingDelivery): void {
		this.service().store.persistence.remove('pending', pending.id);
		if (pending.fault !== 'delivery_reorder') this.letGo(pending.webhookId);
	}

	private retry(pending: PendingDelivery, workspace: Workspace, entity: DeliveryEntity): void {
		const { clock, settings, ids } = this.service();
		const pause = settings.deliverySchedule.at(pending.attempt);
		if (pause === undefined || this.closed) return;
		const dueAt = clock.ahead(pause);
		entity.nextAttemptAt = dueAt;
		workspace.deliveriesOf(entity.webhookId).put(entity);
		const [id, attempt] = [ids.next('dlv'), pending.attempt + 1];
		this.schedule({ ...pending, id, attempt, dueAt, fault: null });
	}
}
