import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

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

export function registrationOf(context: IHookFunctions | IWebhookFunctions): Registration {
	return context.getWorkflowStaticData('node') as Registration;
}

export function saveRegistration(context: IHookFunctions, registration: Registration): void {
	Object.assign(context.getWorkflowStaticData('node'), registration);
}

export function clearRegistration(context: IHookFunctions): void {
	const data: IDataObject = context.getWorkflowStaticData('node');
	for (const name of NAMES) delete data[name];
}
