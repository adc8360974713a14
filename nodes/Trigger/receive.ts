import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { EVENTS, SIGNATURE_HEADERS } from '../../src/contract';
import { isResource } from '../../src/transport/base/types';
import type { Workspace } from '../../src/transport/workspace';
import { readEvent, type MediaGenEvent } from '../../src/webhook/event';
import { verdictOf } from '../../src/webhook/filter';
import { readPayload } from '../../src/webhook/payload';
import { FOREIGN_SECRET, refusalOf } from '../../src/webhook/signature';
import { readOptions } from '../../src/trigger/options';
import { rawBodyOf } from '../../src/trigger/rawBody';
import { settleWhenAnswered } from '../../src/trigger/settleWhenAnswered';
import { deduplicator, eventKey } from './eventMemory';
import { warnOfCredential, warnOfSecret } from './refusal';
import { cachedVerification, newerVerification, type Verification } from './credentialCache';

/** Answered with 200 and no body, as an accepted event is. */
const IGNORED: IWebhookResponseData = { webhookResponse: '' };

/**
 * The same for every reason, so that an attacker learns nothing; starts no execution, not even a
 * failed one. The operator of n8n finds the reason in the debug log: a warning would let anybody
 * fill the log.
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

interface VerifiedDelivery {
	workspace: Workspace;
	rawBody: Buffer;
	/** Milliseconds since 1970. */
	sentAt: number;
}

/** @returns the delivery, or why it cannot be trusted */
async function verifyDelivery(
	context: IWebhookFunctions,
	now: number,
): Promise<VerifiedDelivery | string> {
	const { headers } = context.getRequestObject();
	const rawBody = await rawBodyOf(context.getRequestObject());
	if (!rawBody)
		return 'its raw bytes are not available: multipart, compressed, too large or incomplete';
	try {
		const timestamp = headers[SIGNATURE_HEADERS.timestamp];
		const signature = headers[SIGNATURE_HEADERS.signature];
		const refusalBy = ({ secret }: Verification) =>
			refusalOf({ secret, timestamp, signature, rawBody, now });
		let verification = await cachedVerification(context, now);
		if (refusalBy(verification) === FOREIGN_SECRET)
			verification = (await newerVerification(context, now)) ?? verification;
		warnOfSecret(context, verification.secret);
		const { workspace } = verification;
		return refusalBy(verification) ?? { workspace, rawBody, sentAt: Number(timestamp) * 1_000 };
	} catch (error) {
		// Without the credential nothing can be verified. The sender may be anybody, so the response
		// does not say why.
		warnOfCredential(context, error as Error);
		return 'a credential cannot be used';
	}
}

/**
 * A webhook registered by hand may send kinds that were not chosen here; unknown kinds always pass.
 */
function isChosen(context: IWebhookFunctions, { kind }: MediaGenEvent): boolean {
	const chosen = context.getNodeParameter('events', []) as unknown;
	const isKnown = (EVENTS as readonly string[]).includes(kind);
	return !isKnown || !Array.isArray(chosen) || chosen.includes(kind);
}

/** Ends a wait for the same resource in this process before its next poll. */
function notifyPoller(workspace: Workspace, { resource }: MediaGenEvent): void {
	if (isResource(resource)) workspace.jobPoller.notify(resource);
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
 * Takes a delivery: verified over its raw bytes before anything is parsed, answered at once,
 * started once. What takes time is done in the execution (`execute`). Specification: Events,
 * signature rules.
 */
export async function receive(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	const now = Date.now();
	const delivery = await verifyDelivery(this, now);
	if (typeof delivery === 'string') return refuse(this, delivery);
	const { workspace, rawBody, sentAt } = delivery;
	const payload = readPayload(rawBody);
	if (!payload) return IGNORED;
	const event = readEvent(payload);
	const claim = await deduplicator.claim(eventKey(this, event, payload), now);
	if (!claim) return IGNORED;
	let isHandled = false;
	try {
		notifyPoller(workspace, event);
		const isWanted = isChosen(this, event) && verdictOf(event, readOptions(this)) !== 'unwanted';
		if (isWanted) settleWhenAnswered(this, claim);
		else claim.keep();
		isHandled = true;
		return isWanted ? { workflowData: [[itemOf(event, payload, { sentAt, now })]] } : IGNORED;
	} finally {
		// An expression of the node may throw; the event then counts as not delivered.
		if (!isHandled) claim.release();
	}
}
