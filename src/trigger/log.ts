import type { IAllExecuteFunctions, IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';
import type { Json } from '../api';
import { plainText } from '../transport/bodies';

/** The name of a trigger for a line of the log, because n8n prints nothing but the message. */
export function nameInLog(context: IAllExecuteFunctions): string {
	const { id, name } = context.getWorkflow();
	return `"${context.getNode().name}" in workflow "${name ?? ''}" (${id ?? ''})`;
}

/** Warns of what has happened to a trigger. */
export const warn = (context: IAllExecuteFunctions, message: string): void =>
	context.logger.warn(`MediaGen Trigger: ${nameInLog(context)}: ${message}`);

/** The functions that n8n gives where a trigger gets an event. */
type EventContext = IExecuteFunctions | IWebhookFunctions;

/**
 * What was logged as a warning. Each reason is logged so once for each trigger, because anybody can cause it
 * any number of times.
 */
const warned = new Set<string>();

/**
 * Logs what has happened to a trigger: the first time as a warning, later only at the level debug.
 * @param reason tells one kind of event from another; figures in it do not count
 * @param details may be others each time
 */
export function warnOnce(
	context: EventContext,
	happened: string,
	reason: string,
	details = '',
): void {
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

/** What is logged of an event that a filter cannot let through, because it shows too little. */
export const NOT_STARTED = 'starts nothing for an event';

/** Warns of an event in which no resource was found although one is needed: otherwise nobody would know. */
export function warnOfNoResource(context: EventContext, happened: string, payload: Json): void {
	const fields = plainText(Object.keys(payload).join(', '));
	const reason = 'neither a resource nor the ID of one was found in it';
	warnOnce(context, happened, reason, `. Its fields: ${fields}`);
}
