import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { EVENTS, SIGNATURE_HEADERS, type Json } from '../../src/api';
import { eventIdentity, readEvent, readPayload, verdictOf } from '../../src/trigger/event';
import { filtersOf } from '../../src/trigger/filters';
import { NOT_STARTED, warnOfNoResource, warnOnce } from '../../src/trigger/log';
import { openService } from '../../src/trigger/service';
import { whyUntrusted } from '../../src/trigger/signature';
import { BoundedMap } from '../../src/base/boundedMap';
import type { Resource } from '../../src/base/types';
import { withoutSecret } from '../../src/transport/bodies';
import { CREDENTIAL, readCredential } from '../../src/transport/credential';
import { secretOf } from './registration';

/** The largest body that is read, in bytes: n8n's default limit. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** Most events that a process remembers, over all triggers: about 2 MB. */
const MAX_EVENTS = 20_000;

/** After how many seconds a delivery that came too early may be repeated. */
const RETRY_AFTER_S = 30;

/** Answered with 200 and no body, as an accepted event is. */
const IGNORED: IWebhookResponseData = { webhookResponse: '' };

/** Answered by the response object itself: starts no execution, not even a failed one. */
const REFUSED: IWebhookResponseData = { noWebhookResponse: true };

/**
 * The deliveries that this process has accepted: `taken` once n8n has made the execution. In memory,
 * because n8n drops static data that a webhook writes when it starts a workflow. What other and
 * earlier processes have taken, `execute.ts` finds in n8n's database.
 */
const deliveries = new BoundedMap<string, 'undecided' | 'taken'>(MAX_EVENTS);

/** The same answer for every reason, so that an attacker learns nothing. */
function refuse(context: IWebhookFunctions, reason: string): IWebhookResponseData {
	warnOnce(context, 'refused a delivery', reason);
	context.getResponseObject().status(401).end();
	return REFUSED;
}

/** `undefined` if they are not available: multipart, compressed, too large, incomplete. */
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

/** A payload without the API key, which the service may have put into it; as it is where there is no key. */
async function withoutKey(context: IWebhookFunctions, payload: Json): Promise<Json> {
	try {
		const read = readCredential(await context.getCredentials(CREDENTIAL));
		return read.problem === undefined ? withoutSecret(payload, read.apiKey) : payload;
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

/** A webhook created by hand may send kinds that were not chosen; unknown ones pass. */
function isChosen(context: IWebhookFunctions, kind: string): boolean {
	const chosen = context.getNodeParameter('events', []) as unknown;
	const isKnown = (EVENTS as readonly string[]).includes(kind);
	return !isKnown || !Array.isArray(chosen) || chosen.includes(kind);
}

/**
 * Decides when n8n answers, after it has made the execution or failed to. Not by an event of the
 * response: `finish` needs a sender that listens, and at `close` the outcome may not be known.
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
 * Takes a delivery: verified over its raw bytes before anything is parsed, started once, and never
 * kept waiting for another one. A repeat that comes while n8n is still at the first delivery is
 * refused at once: answered as a repeat it would be lost if the first one fails. What takes time is
 * done in the execution (`execute.ts`). Specification: Events, signature rules.
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
