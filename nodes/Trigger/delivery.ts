import { createHash } from 'crypto';
import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { EVENTS, isRecord, SIGNATURE_HEADERS, type Json } from '../../src/api';
import { BoundedMap } from '../../src/base/maps';
import { ok, type Result } from '../../src/base/result';
import type { Resource } from '../../src/base/types';
import { canonicalJson } from '../../src/base/values';
import { jsonOf } from '../../src/n8n/output/rows';
import { maskSecret, CREDENTIAL, readCredential } from '../../src/transport/credential';
import { AGENT_STATUSES, jobState, readerOf } from '../../src/transport/jobState';
import { objectOf, readEvent, readPayload, type MediaGenEvent } from '../../src/trigger/event';
import { filtersOf, optionsOf, switchOf, verdictOf, type Filters } from '../../src/trigger/filters';
import { NOT_STARTED, warn, warnOfNoResource, warnOnce } from '../../src/trigger/log';
import {
	downloadFiles,
	forEachItem,
	openService,
	readResource,
	type Service,
} from '../../src/trigger/service';
import { whyUntrusted } from '../../src/trigger/signature';
import { secretOf } from './registration';

/*
 * The way of a delivery, from the request to the item. n8n calls `receive` for the request, which is answered
 * at once, and then `execute` in the execution that `receive` has started, where there is time to download.
 *
 *  1. `verifyDelivery` takes the raw bytes and the secret of the webhook. `whyUntrusted` says whether the
 *     timestamp is within 300 s of now and the HMAC-SHA256 is right (`src/trigger/signature.ts`). Forged, too
 *     old or dated ahead: an empty 401, no execution, and one warning for each reason in n8n's log.
 *  2. `readPayload` and `readEvent` find the kind and the resource (`src/trigger/event.ts`). No event: 200,
 *     and nothing starts.
 *  3. Whoever waits in this process for the same resource hears of it.
 *  4. Not a kind that was chosen, or not what the filters want: 200, and nothing starts.
 *  5. A duplicate of what this process has taken (`deliveries`): 200, and nothing starts. A duplicate of what
 *     n8n is still at: 503, so that the service repeats it.
 *  6. The item, with which n8n starts the execution.
 *  7. A duplicate of what another or an earlier process has taken (`areRepeats`, n8n's database): no item.
 *  8. The resource is read, the filters that need it decide, its files are downloaded.
 *
 * Two deliveries are duplicates if they are of one event, which has the same `eventIdentity` in both.
 */

/** The largest body that is read, in bytes: n8n's default limit. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** The most events that a process remembers of all triggers together, which takes about 2 MB. */
const MAX_EVENTS = 20_000;

/** After how many seconds a delivery that came too early may be repeated. */
const RETRY_AFTER_S = 30;

/** The most events that n8n remembers for a trigger, in one row of its database. */
const MAX_RECORDED = 2_000;

/** The answer to a delivery that starts nothing: 200 and no body, as for one that starts the workflow. */
const IGNORED: IWebhookResponseData = { webhookResponse: '' };

/** For n8n, where the response was answered already: no execution starts, not even a failed one. */
const REFUSED: IWebhookResponseData = { noWebhookResponse: true };

/**
 * The deliveries that this process has accepted, which are `taken` once n8n has made the execution. They are
 * kept in memory, because n8n drops static data that a webhook writes while it starts a workflow.
 */
const deliveries = new BoundedMap<string, 'undecided' | 'taken'>(MAX_EVENTS);

/**
 * Steps 1 to 6. A delivery is verified by its raw bytes before anything is parsed, starts the workflow once,
 * and never waits for another delivery. Specification: Events, signature rules.
 */
export async function receive(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	const now = Date.now();
	const delivery = await verifyDelivery(this, now);
	if (typeof delivery === 'string') return refuse(this, delivery);

	const said = readPayload(delivery.rawBody);
	if (!said) return IGNORED;
	const payload = await withoutKey(this, said);
	const event = readEvent(payload);
	if (event.resource) await tellWaiting(this, event.resource);

	if (!isChosen(this, event.kind)) return IGNORED;
	if (verdictOf(event, filtersOf(this)) === 'unwanted') {
		if (event.resourceId === undefined) warnOfNoResource(this, NOT_STARTED, payload);
		return IGNORED;
	}

	const mode = this.getMode();
	const trigger = [this.getWorkflow().id, this.getNode().id, mode].join('/');
	const key = `${trigger} ${eventIdentity(payload)}`;
	// In the editor somebody listens for each delivery, also for an event that is sent again.
	const before = mode === 'manual' ? undefined : deliveries.get(key);
	if (before === 'taken') return IGNORED;
	// If it were answered as a duplicate, the event would be lost if n8n fails with the first delivery.
	if (before === 'undecided') {
		const response = this.getResponseObject();
		response.setHeader('Retry-After', RETRY_AFTER_S);
		response.status(503).end();
		return REFUSED;
	}
	deliveries.set(key, 'undecided');
	settleWhenAnswered(this, key);

	const json: IDataObject = {
		event: event.kind,
		eventId: event.eventId ?? null,
		timestamp: new Date(delivery.sentAt).toISOString(),
		deliveredAt: new Date(now).toISOString(),
		resourceId: event.resourceId ?? null,
		payload: payload as IDataObject,
	};
	return { workflowData: [[{ json }]] };
}

/** @returns the delivery, sent at milliseconds since 1970, or why it cannot be trusted */
async function verifyDelivery(
	context: IWebhookFunctions,
	now: number,
): Promise<{ rawBody: Buffer; sentAt: number } | string> {
	const { headers } = context.getRequestObject();
	const rawBody = await rawBodyOf(context);
	if (!rawBody)
		return 'its raw bytes are not available: multipart, compressed, too large or incomplete';
	let secret: string | undefined;
	try {
		secret = await secretOf(context);
	} catch (error) {
		return `the credential with its signing secret cannot be used: ${(error as Error).message}`;
	}
	if (secret === undefined)
		return 'no webhook is registered for this node. Unpublish and publish the workflow';
	const timestamp = headers[SIGNATURE_HEADERS.timestamp];
	const signature = headers[SIGNATURE_HEADERS.signature];
	const refusal = whyUntrusted({ secret, timestamp, signature, rawBody, now });
	return refusal ?? { rawBody, sentAt: Number(timestamp) * 1_000 };
}

/** The raw bytes; `undefined` if n8n does not have them: multipart, compressed, too large or incomplete. */
async function rawBodyOf(context: IWebhookFunctions): Promise<Buffer | undefined> {
	const request = context.getRequestObject();
	const encoding = request.headers['content-encoding'];
	if (encoding !== undefined && encoding !== 'identity') return undefined;
	try {
		await request.readRawBody();
	} catch {
		return undefined;
	}
	const { rawBody } = request;
	return Buffer.isBuffer(rawBody) && rawBody.length <= MAX_BODY_BYTES ? rawBody : undefined;
}

/** Refuses a delivery. The answer is the same for every reason, so that an attacker learns nothing. */
function refuse(context: IWebhookFunctions, reason: string): IWebhookResponseData {
	warnOnce(context, 'refused a delivery', reason);
	context.getResponseObject().status(401).end();
	return REFUSED;
}

/** A payload without the API key, in case the service has put it there. */
async function withoutKey(context: IWebhookFunctions, payload: Json): Promise<Json> {
	try {
		const read = readCredential(await context.getCredentials(CREDENTIAL));
		return read.problem === undefined ? maskSecret(payload, read.apiKey) : payload;
	} catch {
		return payload;
	}
}

/** Ends a wait for the same resource in this process before its next poll. */
async function tellWaiting(context: IWebhookFunctions, resource: Resource): Promise<void> {
	try {
		const { workspace } = await openService(context);
		workspace.poller.notify(resource);
	} catch {
		// A credential that cannot be used has nobody waiting; the execution says what is wrong.
	}
}

/**
 * Whether the user has chosen this kind of event: a webhook that was created by hand may send others. A kind
 * that is not known here passes.
 */
function isChosen(context: IWebhookFunctions, kind: string): boolean {
	const chosen = context.getNodeParameter('events', []) as unknown;
	const isKnown = (EVENTS as readonly string[]).includes(kind);
	return !isKnown || !Array.isArray(chosen) || chosen.includes(kind);
}

/**
 * Settles a delivery at the moment at which n8n answers it, after it has made the execution or has failed to.
 * The events of the response would not do: `finish` comes only if the sender still listens, and at `close`
 * the outcome may not be known.
 */
function settleWhenAnswered(context: IWebhookFunctions, key: string): void {
	const response = context.getResponseObject();
	const end = response.end.bind(response) as (...given: unknown[]) => typeof response;
	const settle = (...given: unknown[]) => {
		if (response.statusCode < 300) deliveries.set(key, 'taken');
		else deliveries.delete(key);
		return end(...given);
	};
	response.end = settle as typeof response.end;
}

/**
 * Whether an event is the end of its resource, which comes only once, so that the status of the resource
 * names the event. A review gate is none, because an agent run may have several.
 */
const isEnd = ({ kind, resource }: MediaGenEvent): boolean =>
	EVENTS.some((known) => known === kind)
		? kind !== 'agent.review_required'
		: resource !== undefined && jobState(resource, AGENT_STATUSES.afterReview) !== 'running';

/**
 * What the envelope of an event may say of its delivery. Deeper in it, and in a resource that comes without
 * an envelope, the same names belong to what has happened, such as the attempts of a run.
 */
const OF_DELIVERY = new Set([
	'attempt',
	'attempts',
	'attempt_count',
	'attempt_number',
	'delivered_at',
	'delivery',
	'delivery_attempt',
	'delivery_id',
	'retries',
	'retry',
	'retry_count',
	'sent_at',
]);

/** `sentAt` as `sent_at`. */
const snakeCase = (name: string) => name.replace(/\B[A-Z]/g, '_$&').toLowerCase();

/**
 * An output without the signature of its link, which is made anew when the event is sent again. Only a signed
 * link says when it expires. Specification: Generation, `outputs`.
 */
function unsigned(value: unknown): unknown {
	if (!isRecord(value) || typeof value.url !== 'string' || !value.expires_at) return value;
	return { ...value, url: value.url.split('?', 1)[0], expires_at: undefined };
}

/** A payload without all that may differ between two deliveries of its event. */
function contentOf(payload: Json, resourceId: string | undefined): unknown {
	const isResource = resourceId !== undefined && payload.id === resourceId;
	const said = Object.entries(payload).filter(
		([name]) => isResource || !OF_DELIVERY.has(snakeCase(name)),
	);
	const text = JSON.stringify(Object.fromEntries(said), (_name, value) => unsigned(value));
	return JSON.parse(text);
}

/**
 * A hash of what is the same in every delivery of an event. The end of a resource comes once; any other event
 * is known by all that it says. The specification does not say whose an `id` is (Events). If it is that of
 * the workspace or of the agent run, other events have it too, so it alone makes no two deliveries one: an
 * event that starts a workflow twice is better than one that is lost. The timestamp is not part of the hash,
 * because it changes when a delivery is repeated.
 */
export function eventIdentity(payload: Json): string {
	const event = readEvent(payload);
	const { kind, eventId, resourceId, resource } = event;
	const identity =
		resourceId !== undefined && isEnd(event)
			? [eventId, kind, resourceId, resource?.status]
			: [contentOf(payload, resourceId)];
	return createHash('sha256').update(canonicalJson(identity)).digest('base64');
}

/**
 * Steps 7 and 8, which may take long: by now the service has its answer. In queue mode a worker does this. If
 * it fails, the execution can be retried.
 */
export async function execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const items = await firstItems(this);
	const filters = filtersOf(this);
	const options = optionsOf(this);
	const files = switchOf(this, 'Download Outputs', options.downloadOutputs) ?? false;
	const fetches = switchOf(this, 'Fetch Resource', options.fetchResource) ?? false;
	const wants = { files, resource: files || fetches };
	const isWanted = (item: INodeExecutionData) =>
		verdictOf(readEvent(payloadOf(item)), filters) === 'wanted';
	if (!wants.resource && items.every(isWanted)) return [items];
	const service = await openService(this);
	return [
		await forEachItem(
			this,
			items,
			async (item) => await enrich(this, service, item, filters, wants),
		),
	];
}

const payloadOf = ({ json }: INodeExecutionData): Json =>
	isRecord(json.payload) ? json.payload : {};

/** The items of events that have not started the workflow before. */
async function firstItems(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const items = context.getInputData();
	// Only a webhook is called again by the service. All other executions are repeated on purpose.
	if (context.getMode() !== 'webhook') return items;
	// Decided once per execution, because Retry On Fail runs the node again.
	const memory = context.getContext('node');
	memory.repeats ??= await areRepeats(context);
	return items.filter((_item, index) => (memory.repeats as boolean[])[index] !== true);
}

/** What is being recorded, because n8n loses entries that one process writes at the same moment. */
let recording: Promise<unknown> = Promise.resolve();

/** For each event, whether n8n's database knows it from an earlier execution. If it cannot say, it is new. */
async function areRepeats(context: IExecuteFunctions): Promise<boolean[]> {
	const keys = context.getInputData().map((item) => eventIdentity(payloadOf(item)));
	const options = { mode: 'entries', maxEntries: MAX_RECORDED } as const;
	const record = async () => {
		try {
			return await context.helpers.checkProcessedAndRecord(keys, 'node', options);
		} catch {
			warn(
				context,
				'n8n could not record an event in its database. It starts the workflow; a repeat of it may do so again',
			);
			return { processed: [] as string[] };
		}
	};
	const recorded = recording.then(record);
	recording = recorded;
	const { processed } = await recorded;
	return keys.map((key) => processed.includes(key));
}

/** @returns the item with what the options add; `undefined` if the filters reject it */
async function enrich(
	context: IExecuteFunctions,
	service: Service,
	item: INodeExecutionData,
	filters: Filters,
	wants: { resource: boolean; files: boolean },
): Promise<Result<INodeExecutionData | undefined>> {
	const payload = payloadOf(item);
	const event = readEvent(payload);
	const { resourceId } = event;
	const json: IDataObject = { ...item.json };
	if (resourceId === undefined) {
		const isWanted = verdictOf(event, filters) === 'wanted';
		const happened = isWanted ? 'outputs an event without its resource' : NOT_STARTED;
		warnOfNoResource(context, happened, payload);
		return ok(isWanted ? { json: { ...json, resource: null } } : undefined);
	}
	const read = await readResource(service, readerOf(objectOf(event)), resourceId);
	if (!read.ok) return read;
	const resource = read.value;
	if (verdictOf({ ...event, resource }, filters) !== 'wanted') return ok(undefined);
	if (wants.resource) json.resource = jsonOf(resource);
	if (!wants.files) return ok({ json });
	const files = await downloadFiles(context, service, resource);
	return files.ok ? ok({ json, binary: files.value }) : files;
}
