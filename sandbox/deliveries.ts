/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { once, setMaxListeners } from 'events';
import type { IncomingMessage } from 'http';
import { request } from 'https';
import pLimit, { type Limit } from 'p-limit';

import { SIGNATURE_HEADERS, type EventKind } from '../src/api';
import { sign } from '../src/trigger/signature';
import type { DeliveryEntity, PendingDelivery, WebhookEntity } from './entities';
import { eventBody, type EventResource } from './eventShapes';
import type { Service } from './service';
import type { Workspace } from './store';

/**
 * Attempts under way to one receiver at a time, as a service's workers would: a thousand events for
 * fifty webhooks would otherwise be fifty thousand connections.
 */
const ATTEMPTS_AT_ONCE = 20;

/**
 * The deadline of one attempt, over all of it: the name, the connection, TLS, the request, the
 * answer. Real time: a receiver is no quicker where the service's time is.
 */
const ATTEMPT_MILLISECONDS = 30_000;

/** An attempt that was made. */
type Attempt = Omit<DeliveryEntity, 'createdAt' | 'nextAttemptAt'>;
type Outcome = Pick<DeliveryEntity, 'state' | 'responseStatus' | 'error' | 'durationMs'>;

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
	private readonly closing = new AbortController();

	constructor(
		private readonly service: Service,
		/** A certificate (PEM) that is trusted besides the usual ones. */
		private readonly ca?: string,
	) {
		// One listener for each attempt under way.
		setMaxListeners(0, this.closing.signal);
	}

	private get closed(): boolean {
		return this.closing.signal.aborted;
	}

	/** Notifies the webhooks of the workspace that want the event. */
	emit(workspace: Workspace, event: EventKind, resource: EventResource): void {
		const wanting = workspace.webhooks.all().filter(({ events }) => events.includes(event));
		if (wanting.length === 0) return;
		const { ids, clock, settings } = this.service;
		const eventId = ids.next('evt');
		const created = new Date(clock.now()).toISOString();
		const body = eventBody(settings.eventShape, { id: eventId, kind: event, created, resource });
		for (const webhook of wanting.reverse()) {
			this.begin(workspace, { webhookId: webhook.id, eventId, event, body });
		}
	}

	/** Makes an attempt when it is due; also one from before a restart. */
	schedule(pending: PendingDelivery): void {
		const { clock, persistence } = this.service;
		persistence.put('pending', pending.id, pending);
		clock.at(pending.dueAt, () => {
			if (this.closed) return;
			const attempt = this.carryOut(pending).catch((fault) => this.service.report(fault));
			this.running.add(attempt);
			void attempt.finally(() => this.running.delete(attempt));
		});
	}

	/** Resolves when no attempt is on its way. */
	async idle(): Promise<void> {
		while (this.running.size > 0) await Promise.all(this.running);
	}

	/** Begins no further attempt, and ends those on their way: they are made after the next start. */
	async close(): Promise<void> {
		this.closing.abort();
		await this.idle();
	}

	private begin(
		{ id: workspace }: Workspace,
		about: Pick<PendingDelivery, 'webhookId' | 'eventId' | 'event' | 'body'>,
	): void {
		const { clock, settings, faults, ids } = this.service;
		const subject = { workspace, event: about.event };
		const delay = faults.take('delivery_delay', subject)?.seconds ?? 0;
		const copies = faults.take('delivery_duplicate', subject)?.copies ?? 0;
		const reorder = faults.take('delivery_reorder', subject);
		const dueAt = clock.ahead((settings.deliverySchedule[0] ?? 0) + delay);
		const faultOf = (copy: number) => {
			if (reorder) return 'delivery_reorder';
			if (copy > 0) return 'delivery_duplicate';
			return delay > 0 ? 'delivery_delay' : null;
		};
		const pending = Array.from({ length: 1 + copies }, (_, copy): PendingDelivery => {
			const fault = faultOf(copy);
			return { id: ids.next('dlv'), workspace, ...about, attempt: 1, dueAt, fault };
		});
		if (!reorder) return pending.forEach((each) => this.schedule(each));
		// They go after the webhook's next one, or alone when none comes in time.
		this.held.set(about.webhookId, [...(this.held.get(about.webhookId) ?? []), ...pending]);
		clock.at(clock.ahead(reorder.seconds), () => this.letGo(about.webhookId));
	}

	private letGo(webhookId: string): void {
		const held = this.held.get(webhookId) ?? [];
		this.held.delete(webhookId);
		const dueAt = this.service.clock.now();
		for (const each of held) this.schedule({ ...each, dueAt });
	}

	/**
	 * It stays among the pending until it is recorded: a kill in between repeats it, and loses
	 * nothing.
	 */
	private async carryOut(pending: PendingDelivery): Promise<void> {
		const { store, persistence } = this.service;
		const workspace = store.workspaces.get(pending.workspace);
		const webhook = () => workspace?.webhooks.get(pending.webhookId);
		const url = webhook()?.url;
		const made =
			url &&
			(await this.limitOf(url)(async () => {
				// Deleted, maybe, while the delivery waited for others.
				const still = webhook();
				return still && !this.closed ? await this.send(still, pending) : undefined;
			}));
		// What was not sent, or cut off, is sent after the next start.
		if (url && this.closed && (!made || made.state === 'failed')) return;
		if (workspace && made) this.record(workspace, pending, made);
		persistence.remove('pending', pending.id);
		if (pending.fault !== 'delivery_reorder') this.letGo(pending.webhookId);
	}

	/** Keeps what an attempt has come to, and makes another one when it is due. */
	private record(workspace: Workspace, pending: PendingDelivery, made: Attempt): void {
		const { clock, settings, ids } = this.service;
		const pause = settings.deliverySchedule.at(pending.attempt);
		const dueAt = made.state === 'failed' && pause !== undefined ? clock.ahead(pause) : null;
		if (dueAt !== null) {
			const [id, attempt] = [ids.next('dlv'), pending.attempt + 1];
			this.schedule({ ...pending, id, attempt, dueAt, fault: null });
		}
		const table = workspace.deliveriesOf(pending.webhookId);
		table.put({ ...made, createdAt: table.stamp(made.attemptedAt), nextAttemptAt: dueAt });
	}

	/** Makes one attempt: signs the event at this moment, sends it, and says how it went. */
	private async send(
		{ id: webhookId, url, secret }: WebhookEntity,
		{ id, workspace, eventId, event, body, attempt, fault }: PendingDelivery,
	): Promise<Attempt> {
		const { faults, clock } = this.service;
		const subject = { workspace, event };
		const attemptedAt = clock.now();
		const timestamp = String(Math.floor(attemptedAt / 1000));
		const signature = sign(secret, timestamp, body);
		const lost = faults.take('delivery_lose', subject);
		const tampered = lost ? undefined : faults.take('delivery_tamper', subject);
		const bytes = Buffer.from(body);
		if (tampered) bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
		const headers = {
			'content-type': 'application/json',
			'content-length': bytes.length,
			'user-agent': 'media-generation-sandbox',
			[SIGNATURE_HEADERS.timestamp]: timestamp,
			[SIGNATURE_HEADERS.signature]: signature,
		};
		const outcome = lost ? LOST : await this.post(url, headers, bytes);
		const about = { id, workspace, webhookId, url, eventId, event, body, attempt };
		const how = { attemptedAt, timestamp, signature, fault: lost?.kind ?? tampered?.kind ?? fault };
		return { ...about, ...how, ...outcome };
	}

	/** One POST to a receiver, answered or not; it never throws, and follows no redirect. */
	private async post(
		url: string,
		headers: Record<string, string | number>,
		body: Buffer,
	): Promise<Outcome> {
		const { timers } = this.service.clock;
		const { signal } = this.closing;
		const started = performance.now();
		const durationMs = () => Math.round((performance.now() - started) * 10) / 10;
		try {
			const options = { method: 'POST', agent: false, headers, ca: this.ca, signal };
			const outgoing = request(url, options).end(body);
			const late = new Error('The receiver did not answer in time.');
			const deadline = timers.set(() => outgoing.destroy(late), ATTEMPT_MILLISECONDS);
			outgoing.on('close', () => timers.clear(deadline));
			// Also after the answer, which is of no interest but for its status.
			outgoing.on('error', () => undefined);
			const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
			response.on('error', () => undefined).resume();
			const { statusCode: responseStatus = 0 } = response;
			const state = responseStatus >= 200 && responseStatus < 300 ? 'succeeded' : 'failed';
			return { state, responseStatus, error: null, durationMs: durationMs() };
		} catch (thrown) {
			const error = (thrown as Error).message;
			return { state: 'failed', responseStatus: null, error, durationMs: durationMs() };
		}
	}

	private limitOf(url: string): Limit {
		const { origin } = new URL(url);
		const limit = this.limits.get(origin) ?? pLimit(ATTEMPTS_AT_ONCE);
		this.limits.set(origin, limit);
		return limit;
	}
}

const LOST: Outcome = { state: 'lost', responseStatus: null, error: 'lost', durationMs: 0 };
