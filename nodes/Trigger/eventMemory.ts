import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';
import type { MediaGenEvent } from '../../src/webhook/event';
import type { Json } from '../../src/webhook/json';
import { Deduplicator, deduplicationKey } from '../../src/webhook/deduplicator';

/**
 * One memory for all triggers of this process: n8n drops static data that a webhook writes when it starts a workflow. It
 * stands before n8n's database (`firstEvents.ts`), which knows what other processes and earlier ones have started.
 */
export const deduplicator = new Deduplicator();

/** Live and test deliveries are told apart: the one does not make the other a repeat. */
function triggerName(context: IWebhookFunctions | IExecuteFunctions): string {
	return [context.getWorkflow().id, context.getNode().id, context.getMode()].join('/');
}

/** What an event is remembered by, the same in the delivery and in the execution that it starts. */
export const eventKey = (
	context: IWebhookFunctions | IExecuteFunctions,
	event: MediaGenEvent,
	payload: Json,
): string => deduplicationKey(triggerName(context), event, payload);
