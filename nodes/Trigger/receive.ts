import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { EVENTS, SIGNATURE_HEADERS } from '../../src/contract';
import { isResource } from '../../src/transport/base/types';
import type { Workspace } from '../../src/transport/workspace';
import { readEvent, type MediaGenEvent } from '../../src/webhook/event';
import { verdictOf } from '../../src/webhook/filter';
import { readPayload } from '../../src/webhook/payload';
import type { Claim } from '../../src/webhook/deduplicator';
import { refusalOf } from '../../src/webhook/signature';
import { readOptions } from '../../src/trigger/options';
import { deduplicator, eventKey } from './eventMemory';
import { warnOfCredential, warnOfSecret } from './refusal';
import { cachedVerification } from './credentialCache';

/** The largest body that is looked at, in bytes: n8n's own bound unless it was raised. */
const LARGEST_BODY = 16 * 1024 * 1024;

/** Answered with 200 and no body, as an accepted event is. */
const IGNORED: IWebhookResponseData = { webhookResponse: '' };

type Request = ReturnType<IWebhookFunctions['getRequestObject']>;

/** The bytes as they arrived; `undefined` where they are not to be had: multipart, packed, too large, broken off. */
async function rawBodyOf(request: Request): Promise<Buffer | undefined> {
	const encoding = request.headers['content-encoding'];
	if (encoding !== undefined && encoding !== 'identity') return undefined;
	try {
		await request.readRawBody();
	} catch {
		return undefined;
	}
	const { rawBody } = request;
	return Buffer.isBuffer(rawBody) && rawBody.length <= LARGEST_BODY ? rawBody : undefined;
}

/**
 * The same for every reason, so that nobody learns from it; starts nothing, not even a failed execution. Who runs n8n finds the
 * reason in the log of level debug: a warning would let anybody fill the log.
 */
function refuse(context: IWebhookFunctions, reason: string): IWebhookResponseData {
	const { id } = context.getWorkflow();
	context.logger.debug(`MediaGen Event Trigger: a delivery was refused, because ${reason}`, {
		workflowId: id,
		node: context.getNode().name,
	});
	context.getResponseObject().status(401).end();
	return { noWebhookResponse: true };
}

interface Trusted {
	workspace: Workspace;
	rawBody: Buffer;
	/** Milliseconds since 1970. */
	sentAt: number;
}

/** @returns the reason in words where the delivery is not to be trusted */
async function trusted(context: IWebhookFunctions, now: number): Promise<Trusted | string> {
	const { headers } = context.getRequestObject();
	const rawBody = await rawBodyOf(context.getRequestObject());
	if (!rawBody) return 'its bytes are not to be had: multipart, packed, too large or broken off';
	try {
		const { secret, workspace } = await cachedVerification(context, now);
		warnOfSecret(context, secret);
		const timestamp = headers[SIGNATURE_HEADERS.timestamp];
		const signature = headers[SIGNATURE_HEADERS.signature];
		const refusal = refusalOf({ secret, timestamp, signature, rawBody, now });
		return refusal ?? { workspace, rawBody, sentAt: Number(timestamp) * 1_000 };
	} catch (error) {
		// Without the credential nothing can be verified. Who sent it may be anybody, so it is not told.
		warnOfCredential(context, error as Error);
		return 'a credential cannot be used';
	}
}

/** A webhook made by hand may send kinds that were not chosen here; kinds that nobody knows are always of interest. */
function isChosen(context: IWebhookFunctions, { kind }: MediaGenEvent): boolean {
	const chosen = context.getNodeParameter('events', []) as unknown;
	const isKnown = (EVENTS as readonly string[]).includes(kind);
	return !isKnown || !Array.isArray(chosen) || chosen.includes(kind);
}

/** A wait in this process for the resource need not look for itself. */
function endWaits(workspace: Workspace, { resource }: MediaGenEvent): void {
	if (isResource(resource)) workspace.jobPoller.notify(resource);
}

/**
 * Settles a claim when n8n answers, which it does after it has made the execution or failed to. Not by an event of the
 * response: `finish` fires only while the sender still listens, and by `close` the outcome may not be known yet.
 */
function settleWhenAnswered(context: IWebhookFunctions, claim: Claim): void {
	const response = context.getResponseObject();
	const end = response.end.bind(response) as (...given: unknown[]) => typeof response;
	response.end = ((...given: unknown[]) => {
		if (response.statusCode < 300) claim.keep();
		else claim.release();
		return end(...given);
	}) as typeof response.end;
}

function itemOf(event: MediaGenEvent, payload: object, times: { sentAt: number; now: number }) {
	const json: IDataObject = {
		event: event.kind,
		eventId: event.eventId ?? null,
		timestamp: new Date(times.sentAt).toISOString(),
		deliveredAt: new Date(times.now).toISOString(),
		resourceId: event.resourceId ?? null,
		payload: payload as IDataObject,
	};
	return { json };
}

/**
 * Takes a delivery: verified over its raw bytes before anything is parsed, answered at once, started once. What takes time is
 * done in the execution (`execute`). Specification: Events, signature rules.
 */
export async function receive(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	const now = Date.now();
	const delivery = await trusted(this, now);
	if (typeof delivery === 'string') return refuse(this, delivery);
	const { workspace, rawBody, sentAt } = delivery;
	const payload = readPayload(rawBody);
	if (!payload) return IGNORED;
	const event = readEvent(payload);
	const claim = await deduplicator.claim(eventKey(this, event, payload), now);
	if (!claim) return IGNORED;
	let isTaken = false;
	try {
		endWaits(workspace, event);
		const isWanted = isChosen(this, event) && verdictOf(event, readOptions(this)) !== 'unwanted';
		if (isWanted) settleWhenAnswered(this, claim);
		else claim.keep();
		isTaken = true;
		return isWanted ? { workflowData: [[itemOf(event, payload, { sentAt, now })]] } : IGNORED;
	} finally {
		// An expression of the node's may throw; the event is then as good as not delivered.
		if (!isTaken) claim.release();
	}
}
