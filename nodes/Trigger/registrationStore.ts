import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { BoundedMap } from '../../src/transport/base/boundedMap';

/** What the node remembers of its registration, in n8n's static data. */
export interface Registration {
	webhookId?: string;
	/** The workflow that registered it, because copies of a workflow inherit its static data. */
	workflowId?: string;
	url?: string;
	events?: string[];
	/** Encrypted; see `src/webhook/encryptSecret.ts`. */
	secret?: string;
	/** Base URL of the service that has the webhook. */
	baseUrl?: string;
}

const NAMES = ['webhookId', 'workflowId', 'url', 'events', 'secret', 'baseUrl'] as const;

type Context = IHookFunctions | IWebhookFunctions;

/** Most registrations to remember. */
const MAX_ENTRIES = 1_000;

/**
 * What this process has registered. n8n saves static data only after it has activated all triggers
 * of a workflow, and not at all if one of them fails: until then the first events of the others
 * would be refused, and their webhooks be left at the service.
 */
const registered = new BoundedMap<string, Registration>(MAX_ENTRIES);

const nameOf = (context: Context): string =>
	JSON.stringify([context.getWorkflow().id, context.getNode().id, context.getMode() === 'manual']);

/** What n8n has saved. */
export const savedRegistration = (context: Context): Registration =>
	context.getWorkflowStaticData('node') as Registration;

/** What n8n has saved, else what it has yet to save. */
export function registrationOf(context: Context): Registration {
	const saved = savedRegistration(context);
	return saved.webhookId === undefined ? (registered.get(nameOf(context)) ?? saved) : saved;
}

export function saveRegistration(context: IHookFunctions, registration: Registration): void {
	Object.assign(context.getWorkflowStaticData('node'), registration);
	registered.set(nameOf(context), registration);
}

export function clearRegistration(context: IHookFunctions): void {
	const data: IDataObject = context.getWorkflowStaticData('node');
	for (const name of NAMES) delete data[name];
	registered.delete(nameOf(context));
}
