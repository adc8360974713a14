import type { INodeTypeDescription } from 'n8n-workflow';

/** What is the same in the description of every node. */
export const sharedDescription = {
	requestDefaults: { baseURL: '={{ $credentials.baseUrl }}', json: true },
} satisfies Partial<INodeTypeDescription>;
