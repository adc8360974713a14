import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

/** What the node remembers of its registration, in n8n's static data. */
export interface Registration {
	webhookId?: string;
	/** The workflow that has registered it: static data travels with copies of a workflow. */
	workflowId?: string;
	url?: string;
	events?: string[];
	/** Encrypted; see `src/webhook/sealed.ts`. */
	secret?: string;
	/** Base URL of the service that has the webhook. */
	baseUrl?: string;
}

const NAMES = ['webhookId', 'workflowId', 'url', 'events', 'secret', 'baseUrl'] as const;

export function registrationOf(context: IHookFunctions | IWebhookFunctions): Registration {
	return context.getWorkflowStaticData('node') as Registration;
}

export function remember(context: IHookFunctions, registration: Registration): void {
	Object.assign(context.getWorkflowStaticData('node'), registration);
}

export function forget(context: IHookFunctions): void {
	const data: IDataObject = context.getWorkflowStaticData('node');
	for (const name of NAMES) delete data[name];
}
