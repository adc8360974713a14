import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';
import type { MediaGenEvent } from '../../src/webhook/event';
import type { Json } from '../../src/contract';
import { Deduplicator, deduplicationKey } from '../../src/webhook/deduplicator';

/**
 * One memory for all triggers of this process: n8n drops static data that a webhook writes when it
 * starts a workflow. It is checked before n8n's database
 * (`firstEvents.ts`), which covers other and earlier processes.
 */
export const deduplicator = new Deduplicator();

/** Live and test deliveries are separate: neither counts as a repeat of the other. */
function triggerName(context: IWebhookFunctions | IExecuteFunctions): string {
	return [context.getWorkflow().id, context.getNode().id, context.getMode()].join('/');
}

/**
 * The key of an event for deduplication: the same in the delivery and in the execution that it
 * starts.
 */
export const eventKey = (
	context: IWebhookFunctions | IExecuteFunctions,
	event: MediaGenEvent,
	payload: Json,
): string => deduplicationKey(triggerName(context), event, payload);
