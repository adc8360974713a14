import type { IAuthenticateGeneric, ICredentialType, INodeProperties } from 'n8n-workflow';
import { LIMITS, SCOPES } from '../src/contract';

export class MediaGenApi implements ICredentialType {
	name = 'mediaGenApi';

	displayName = 'MediaGen API';

	icon = {
		light: 'file:../nodes/icons/mediagen.svg',
		dark: 'file:../nodes/icons/mediagen.dark.svg',
	} as const;

	documentationUrl = 'https://example.com/n8n-nodes-mediagen#credential';

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
			description: 'The address of the API, which ends in /v1',
		},
		{
			displayName: 'Scopes',
			name: 'scopes',
			type: 'multiOptions',
			options: SCOPES.map((scope) => ({ name: scope, value: scope })),
			default: [...SCOPES],
			description:
				'The scopes that the key carries. An operation that needs another one is refused before anything is sent.',
		},
		{
			displayName: 'Requests per Minute',
			name: 'requestsPerMinute',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: LIMITS.requestsPerMinute,
			description:
				'How many requests a minute the plan of the workspace allows. All nodes of this n8n together keep to it.',
		},
		{
			displayName: 'Concurrent Jobs',
			name: 'concurrentJobs',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: LIMITS.concurrentJobs,
			description: 'How many generations at a time the plan of the workspace allows',
		},
	];

	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: { headers: { Authorization: '=Bearer {{ $credentials.apiKey }}' } },
	};
}
