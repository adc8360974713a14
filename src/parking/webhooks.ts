import type { IWebhookDescription } from 'n8n-workflow';

/**
 * The path of a parked wait below the resume URL of its execution. That URL itself belongs to
 * whatever node the execution waits at: once the timer has resumed it, an event or a probe sent
 * there would resume a Wait node, or count as an approval.
 */
export const RESUME_PATH = 'mediagen-job';

/** Where n8n accepts calls for a parked execution. */
export const resumeWebhooks: IWebhookDescription[] = [
	{
		name: 'default',
		httpMethod: 'POST',
		responseMode: 'onReceived',
		// Without it n8n answers with the literal text `firstEntryJson`.
		responseData: '',
		path: RESUME_PATH,
		restartWebhook: true,
		isFullPath: true,
	},
];
