import type { IAllExecuteFunctions, IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';
import type { Json } from '../api';
import { plainText } from '../transport/bodies';

/** Names a trigger in a log line: n8n prints nothing but the message. */
export function nameInLog(context: IAllExecuteFunctions): string {
	const { id, name } = context.getWorkflow();
	return `"${context.getNode().name}" in workflow "${name ?? ''}" (${id ?? ''})`;
}

/** Where a trigger meets an event. */
type Context = IExecuteFunctions | IWebhookFunctions;

/** What has been logged of a trigger: each reason once, as anybody can cause it any number of times. */
const warned = new Set<string>();

/**
 * Logs what happens to a trigger for the first time as a warning, and further ones for the debug log.
 * @param reason the same text for all of them, whatever its figures
 * @param details may differ
 */
export function warnOnce(context: Context, happened: string, reason: string, details = ''): void {
	const message = `MediaGen Trigger: ${nameInLog(context)} ${happened}, because ${reason}${details}`;
	const trigger = [context.getWorkflow().id, context.getNode().id, context.getMode()].join('/');
	const key = `${trigger} ${happened} ${reason.replace(/\d+/g, '')}`;
	if (warned.has(key)) {
		context.logger.debug(message);
		return;
	}
	warned.add(key);
	context.logger.warn(
		`${message}. Further ones for this reason are logged at the level debug only`,
	);
}

/** What becomes of an event of which a filter wants to know more than it shows. */
export const NOT_STARTED = 'starts nothing for an event';

/** An event whose resource is needed, and not found in it: it would be lost in silence. */
export function warnOfNoResource(context: Context, happened: string, payload: Json): void {
	const fields = plainText(Object.keys(payload).join(', '));
	const reason = 'neither a resource nor the ID of one was found in it';
	warnOnce(context, happened, reason, `. Its fields: ${fields}`);
}
