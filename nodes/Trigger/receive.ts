import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { EVENTS, SIGNATURE_HEADERS } from '../../src/contract';
import { isResource } from '../../src/transport/types';
import type { Workspace } from '../../src/transport/workspace';
import { readEvent, type MediaGenEvent } from '../../src/webhook/event';
import { verdictOf } from '../../src/webhook/filter';
import { readPayload } from '../../src/webhook/payload';
import { Seen, seenKey } from '../../src/webhook/seen';
import { verify } from '../../src/webhook/signature';
import { memoryOf } from './memory';
import { readOptions } from './options';
import { trustOf } from './trust';

/** The largest body that is looked at, in bytes: n8n's own bound unless it was raised. */
const LARGEST_BODY = 16 * 1024 * 1024;

/** One memory for all triggers of this process: n8n drops static data that a webhook writes when it starts a workflow. */
const seen = new Seen();

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

/** The same for every reason, so that nobody learns from it; starts nothing, not even a failed execution. */
function refuse(context: IWebhookFunctions): IWebhookResponseData {
	context.getResponseObject().status(401).end();
	return { noWebhookResponse: true };
}

async function trusted(context: IWebhookFunctions, now: number) {
	const { headers } = context.getRequestObject();
	const rawBody = await rawBodyOf(context.getRequestObject());
	if (!rawBody) return undefined;
	try {
		const { secret, workspace } = await trustOf(context, now);
		const timestamp = headers[SIGNATURE_HEADERS.timestamp];
		const signature = headers[SIGNATURE_HEADERS.signature];
		if (!verify({ secret, timestamp, signature, rawBody, now })) return undefined;
		return { workspace, rawBody, sentAt: Number(timestamp) * 1_000 };
	} catch (error) {
		// Without the credential nothing can be verified. Who sent it may be anybody, so it is not told.
		context.logger.warn('MediaGen Trigger: a delivery cannot be verified', {
			problem: (error as Error).message,
		});
		return undefined;
	}
}

/** Live and test deliveries of a registration are told apart: the one does not make the other a repeat. */
function triggerName(context: IWebhookFunctions): string {
	const { webhookId } = memoryOf(context);
	return [context.getWorkflow().id, context.getNode().id, context.getMode(), webhookId].join('/');
}

/** A webhook made by hand may send kinds that were not chosen here; kinds that nobody knows are always of interest. */
function isChosen(context: IWebhookFunctions, { kind }: MediaGenEvent): boolean {
	const chosen = context.getNodeParameter('events', []) as unknown;
	const isKnown = (EVENTS as readonly string[]).includes(kind);
	return !isKnown || !Array.isArray(chosen) || chosen.includes(kind);
}

/** A wait in this process for the resource need not look for itself. */
function endWaits(workspace: Workspace, { resource }: MediaGenEvent): void {
	if (isResource(resource)) workspace.watch.tell(resource);
}

/**
 * Takes a delivery: verified over its raw bytes before anything is parsed, answered at once, started once. What takes time is
 * done in the execution (`execute`). Specification: Events, signature rules.
 */
export async function receive(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	const now = Date.now();
	const delivery = await trusted(this, now);
	if (!delivery) return refuse(this);
	const { workspace, rawBody, sentAt } = delivery;
	const payload = readPayload(rawBody);
	if (!payload) return IGNORED;
	const event = readEvent(payload);
	const key = seenKey(triggerName(this), event, rawBody);
	if (!seen.take(key, now)) return IGNORED;
	endWaits(workspace, event);
	if (!isChosen(this, event) || verdictOf(event, readOptions(this)) === 'unwanted') return IGNORED;
	const response = this.getResponseObject();
	// n8n answers after it has made the execution. If it could not, the service sends the event again.
	response.once('finish', () => {
		if (response.statusCode >= 300) seen.forget(key);
	});
	const json: IDataObject = {
		event: event.kind,
		eventId: event.eventId ?? null,
		timestamp: new Date(sentAt).toISOString(),
		deliveredAt: new Date(now).toISOString(),
		resourceId: event.resourceId ?? null,
		payload: payload as IDataObject,
	};
	return { workflowData: [[{ json }]] };
}
