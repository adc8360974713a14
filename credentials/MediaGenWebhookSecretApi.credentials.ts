import type { ICredentialType, INodeProperties } from 'n8n-workflow';

export class MediaGenWebhookSecretApi implements ICredentialType {
	name = 'mediaGenWebhookSecretApi';
	displayName = 'MediaGen Webhook Secret API';
	documentationUrl = 'https://docs.n8n.io/credentials/add-edit-credentials/';

	icon = {
		light: 'file:../nodes/icons/mediagen.svg',
		dark: 'file:../nodes/icons/mediagen.dark.svg',
	} as const;

	properties: INodeProperties[] = [
		{
			displayName: 'Signing Secret',
			name: 'signingSecret',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description:
				'The secret that was shown once, when the webhook was created. Copy it exactly as it was shown.',
		},
	];
}
