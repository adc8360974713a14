import type { IWebhookDescription } from 'n8n-workflow';

/** Where n8n accepts calls for a parked execution: its resume URL itself. */
export const resumeWebhooks: IWebhookDescription[] = [
	{
		name: 'default',
		httpMethod: 'POST',
		responseMode: 'onReceived',
		// Without it n8n answers with the literal text `firstEntryJson`.
		responseData: '',
		path: '',
		restartWebhook: true,
		isFullPath: true,
	},
];
