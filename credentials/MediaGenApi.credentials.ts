import type { IAuthenticate, ICredentialType, INodeProperties } from 'n8n-workflow';
import { LIMITS, SCOPES } from '../src/api';
import { authenticate } from '../src/n8n/authenticate';

export class MediaGenApi implements ICredentialType {
	name = 'mediaGenApi';
	displayName = 'MediaGen API';
	documentationUrl = 'https://docs.n8n.io/credentials/add-edit-credentials/';

	icon = {
		light: 'file:../nodes/icons/mediagen.svg',
		dark: 'file:../nodes/icons/mediagen.dark.svg',
	} as const;

	properties: INodeProperties[] = [
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description:
				'A key of your workspace, created by an owner or admin in the developer settings',
		},
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://api.example.com/v1',
			description:
				'The address of the API as its documentation gives it, from https:// to /v1. Ask for it where you get the key.',
		},
		{
			displayName: 'Scopes of the Key',
			name: 'scopes',
			type: 'multiOptions',
			options: SCOPES.map((scope) => ({ name: scope, value: scope })),
			default: [],
			description:
				'Leave empty to let the service decide. If scopes are chosen, an operation that needs another one is refused before anything is sent. MediaGen Workspace: Check Setup finds out which scopes the key has.',
		},
		{
			displayName: 'Requests per Minute',
			name: 'requestsPerMinute',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: LIMITS.requestsPerMinute,
			description:
				'How many requests per minute the plan of the workspace allows. All nodes of this n8n share this limit.',
		},
		{
			displayName: 'Concurrent Jobs',
			name: 'concurrentJobs',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: LIMITS.concurrentJobs,
			description:
				'How many images, videos and sounds at a time the plan of the workspace allows. All nodes of this n8n share this limit.',
		},
		// n8n would add these two by itself, with every domain allowed, and take a hidden one for missing.
		{
			displayName: 'Allowed HTTP Request Domains',
			name: 'allowedHttpRequestDomains',
			type: 'options',
			options: [
				{
					name: 'All',
					value: 'all',
					description: 'The key still goes to the base URL only',
				},
				{
					name: 'None',
					value: 'none',
					description: 'Only the MediaGen nodes can use this credential',
				},
				{
					name: 'Specific Domains',
					value: 'domains',
					description: 'The key still goes to the base URL only',
				},
			],
			default: 'none',
			description:
				'Whether the HTTP Request and GraphQL nodes may use this credential too, and for what domains',
		},
		{
			displayName: 'Allowed Domains',
			name: 'allowedDomains',
			type: 'string',
			default: '',
			placeholder: 'e.g. api.example.com, *.example.com',
			description: 'The domains, separated by commas; * matches any subdomain',
			displayOptions: { show: { allowedHttpRequestDomains: ['domains'] } },
		},
	];

	// A function, because n8n cannot resolve an expression here in workflows with Execution Logic v2.
	authenticate: IAuthenticate = authenticate;
}
