import type { INodeExecutionData, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { SIGNATURE_HEADERS } from '../contract';
import { isRecord, type Resource } from '../transport/base/types';
import { itemsOf } from '../transport/runner/items';
import { openService, type Service } from '../trigger/connection';
import { rawBodyOf } from '../trigger/rawBody';
import { Deduplicator, deduplicationKey } from '../webhook/deduplicator';
import { decryptSecret } from '../webhook/encryptSecret';
import { readEvent, type MediaGenEvent } from '../webhook/event';
import type { Json } from '../contract';
import { readPayload } from '../webhook/payload';
import { refusalOf } from '../webhook/signature';
import { readJobsState } from './jobsState';
import { parkedExecution, type Parked } from './parkedState';
import { removeWebhook } from './registration';
import { hasEnded, outcomeOf, textOf } from './pendingWaits';

/** How long an event may wait for the service, in ms. The sender has given up long before. */
const RESPONSE_TIMEOUT_MS = 20_000;

/** Most events to remember, over all parked executions of the process. */
const MAX_EVENTS = 10_000;

/**
 * Repeats of an event that has been handled cost no request to the service, however many are sent.
 */
const recent = new Deduplicator(MAX_EVENTS);

/** The execution stays parked. */
const ACKNOWLEDGED: IWebhookResponseData = { webhookResponse: '' };

/** Ends the call with a status and an empty body; starts nothing, not even a failed execution. */
function answer(context: IWebhookFunctions, status: number): IWebhookResponseData {
	context.getResponseObject().status(status).end();
	return { noWebhookResponse: true };
}

/**
 * The items that the execution resumes with: those of the parking run, with the current state of
 * the jobs waited for.
 */
async function itemsWith(
	service: Service,
	{ state, items }: Parked,
	ended: Map<string, Resource>,
): Promise<INodeExecutionData[]> {
	const output = [...items];
	for (const { index, id } of state.jobs) {
		const job = ended.get(id);
		const outcome = job && (await outcomeOf(service, job, true));
		const parked = items[index];
		if (!outcome?.ok || !parked) continue;
		const settings = { splitOutputs: false, outputBinaryField: 'data' } as const;
		const [item] = itemsOf(outcome.value, settings, index);
		output[index] = { ...item, json: item?.json ?? {}, pairedItem: parked.pairedItem };
	}
	return output;
}

/** Whether the payload names its resource, in one of the known shapes. */
const namesResource = ({ resource }: MediaGenEvent, payload: Json): boolean =>
	resource !== undefined && (resource !== payload || textOf(payload.object) !== undefined);

/**
 * Whether an event may be about one of the jobs: it has a job's id anywhere, as the specification
 * does not show the shape of events (Events), or it names no resource at all.
 */
function concerns({ state }: Parked, payload: Json, rawBody: Buffer): boolean {
	const text = rawBody.toString();
	if (state.jobs.some(({ id }) => text.includes(JSON.stringify(id)))) return true;
	return !namesResource(readEvent(payload), payload);
}

/** Whether the event reports the end of this job. */
function reportsEndOf({ state }: Parked, { resource, resourceId }: MediaGenEvent, id: string) {
	const job = resourceId === id ? state.jobs.find((one) => one.id === id) : undefined;
	if (!job || !isRecord(resource) || textOf(resource.status) === undefined) return false;
	return hasEnded({ object: job.object, ...resource, id }, job.terminalStatuses);
}

async function handleEvent(
	context: IWebhookFunctions,
	service: Service,
	parked: Parked,
	event: MediaGenEvent,
): Promise<IWebhookResponseData> {
	// Events are not counted: each time, the service is asked whether all jobs have ended.
	const seen = await readJobsState(service, parked);
	if (!seen) return answer(context, 503);
	if ('ended' in seen) {
		const items = await itemsWith(service, parked, seen.ended);
		// The execution needs no more events. If this fails, the next parking run removes the webhook.
		void removeWebhook(service, parked.state.webhookId).catch(() => {});
		return { webhookResponse: '', workflowData: [items] };
	}
	// A part of the service does not know of the end yet: the event must be delivered again.
	return reportsEndOf(parked, event, seen.running) ? answer(context, 503) : ACKNOWLEDGED;
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
	const claim = await recent.claim(deduplicationKey(parked.state.webhookId, event, payload), now);
	if (!claim) return ACKNOWLEDGED;
	let isAcknowledged = false;
	try {
		const handled = handleEvent(context, service, parked, event);
		const timeout = service.workspace.clock.sleep(RESPONSE_TIMEOUT_MS).then(() => undefined);
		const response = (await Promise.race([handled, timeout])) ?? answer(context, 503);
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
