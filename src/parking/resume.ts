import type { INodeExecutionData, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { SIGNATURE_HEADERS } from '../contract';
import { openService, type Service } from '../trigger/connection';
import { rawBodyOf } from '../trigger/rawBody';
import { settleWhenAnswered } from '../trigger/settleWhenAnswered';
import { Deduplicator, deduplicationKey } from '../webhook/deduplicator';
import { decryptSecret } from '../webhook/encryptSecret';
import { readEvent } from '../webhook/event';
import { readPayload } from '../webhook/payload';
import { refusalOf } from '../webhook/signature';
import { concerns, judge } from './judgeEvent';
import { parkedExecution, type Parked } from './parkedState';
import { removeWebhook } from './registration';

/** How long an event may wait for the service, in ms. The sender has given up long before. */
const RESPONSE_TIMEOUT_MS = 20_000;

/** Most events to remember, over all parked executions of the process. */
const MAX_EVENTS = 10_000;

/**
 * Repeats of an event that has been handled cost no request to the service, however many are sent.
 */
const recent = new Deduplicator(MAX_EVENTS);

/**
 * Parkings that this process has resumed, by their encrypted secrets, no two of which are the same.
 * n8n 1.x resumes an execution for every call that asks for it, so that events that come at once
 * would run what follows several times.
 */
const resumed = new Deduplicator(MAX_EVENTS);

/** The execution stays parked. */
const ACKNOWLEDGED: IWebhookResponseData = { webhookResponse: '' };

/** Ends the call with a status and an empty body; starts nothing, not even a failed execution. */
function answer(context: IWebhookFunctions, status: number): IWebhookResponseData {
	context.getResponseObject().status(status).end();
	return { noWebhookResponse: true };
}

/**
 * Resumes the execution, once. Its webhook is removed only after n8n has taken the items: until
 * then the event may have to be delivered again.
 */
async function resumeWith(
	context: IWebhookFunctions,
	{ service, parked: { state } }: Delivery,
	items: INodeExecutionData[],
	now: number,
): Promise<IWebhookResponseData> {
	const claim = await resumed.claim(state.secret, now);
	if (!claim) return ACKNOWLEDGED;
	settleWhenAnswered(context, {
		keep() {
			claim.keep();
			// The execution needs no more events. If this fails, the next parking run removes the webhook.
			void removeWebhook(service, state.webhookId).catch(() => {});
		},
		release: () => claim.release(),
	});
	return { webhookResponse: '', workflowData: [items] };
}

interface Delivery {
	service: Service;
	parked: Parked;
	rawBody: Buffer;
}

/** @returns `undefined` for a call that cannot be trusted */
async function verified(context: IWebhookFunctions, now: number): Promise<Delivery | undefined> {
	const request = context.getRequestObject();
	const parked = parkedExecution(context);
	const rawBody = await rawBodyOf(request);
	if (!parked || !rawBody) return undefined;
	const { webhookId, secret: encrypted, baseUrl } = parked.state;
	const service = await openService(context);
	// If the credential now points to another service, that one knows nothing of these jobs.
	if (service.baseUrl !== baseUrl) return undefined;
	const secret = decryptSecret(encrypted, service.apiKey, webhookId);
	const timestamp = request.headers[SIGNATURE_HEADERS.timestamp];
	const signature = request.headers[SIGNATURE_HEADERS.signature];
	const refusal = refusalOf({ secret, timestamp, signature, rawBody, now });
	return refusal === undefined ? { service, parked, rawBody } : undefined;
}

async function receive(context: IWebhookFunctions, now: number): Promise<IWebhookResponseData> {
	const delivery = await verified(context, now);
	if (!delivery) return answer(context, 401);
	const { service, parked, rawBody } = delivery;
	const payload = readPayload(rawBody);
	if (!payload || !concerns(parked, payload, rawBody)) return ACKNOWLEDGED;
	const event = readEvent(payload);
	// Not by the webhook's id: a service may give the same one again.
	const claim = await recent.claim(deduplicationKey(parked.state.secret, event, payload), now);
	if (!claim) return ACKNOWLEDGED;
	let isAcknowledged = false;
	try {
		const timeout = service.workspace.clock.sleep(RESPONSE_TIMEOUT_MS).then(() => 'again' as const);
		const verdict = await Promise.race([judge(service, parked, event), timeout]);
		if (verdict === 'again') return answer(context, 503);
		const response =
			verdict === 'parked' ? ACKNOWLEDGED : await resumeWith(context, delivery, verdict, now);
		isAcknowledged = response === ACKNOWLEDGED;
		return response;
	} finally {
		// After any other response, a repeated delivery must be processed again.
		if (isAcknowledged) claim.keep();
		else claim.release();
	}
}

/**
 * Handles a call to the resume URL of a parked execution. Before n8n 2.14 anybody can guess that
 * URL, so only the signature over the raw bytes keeps strangers out. Never throws, which would fail
 * the execution for good, and downloads nothing: files are fetched after the wait, on a worker.
 * Specification: Events, signature rules.
 */
export async function resume(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	try {
		return await receive(this, Date.now());
	} catch {
		return answer(this, 503);
	}
}
