import type { INodeProperties } from 'n8n-workflow';
import { eventOptions } from '../../src/fields/events';
import { optionList } from '../../src/fields/operation';
import { downloadField, modelsField, modesField, statusOptions } from '../../src/trigger/filters';
import type { RegistrationMode } from './registration';

/**
 * Shown before the workflow is published: n8n reports what is missing only afterwards. In a notice n8n shows
 * links and lists, and no other markup.
 */
const notices: INodeProperties[] = [
	{
		displayName:
			'The service sends events to public https addresses only. If the Webhook URLs above begin with http, use the MediaGen Polling Trigger, or set WEBHOOK_URL of n8n to its public address.',
		name: 'notice',
		type: 'notice',
		default: '',
		displayOptions: { show: { registration: ['automatic' satisfies RegistrationMode] } },
	},
	{
		displayName:
			'In this order:<ul><li>Copy the Production URL from Webhook URLs above; it must begin with https.</li><li>Create a webhook with this URL and your events at the service, for example with MediaGen Webhook: Create and its option Include Signing Secret.</li><li>Put its signing secret into the credential MediaGen Webhook Secret API of this node.</li><li>Publish the workflow.</li></ul>The Test URL is another address: to listen for test events, it needs a webhook of its own, with its secret in the credential for that time.',
		name: 'notice',
		type: 'notice',
		default: '',
		displayOptions: { show: { registration: ['manual' satisfies RegistrationMode] } },
	},
];

const optionFields: INodeProperties[] = [
	downloadField,
	{
		displayName: 'Fetch Resource',
		name: 'fetchResource',
		type: 'boolean',
		default: true,
		description:
			'Whether to read the finished job, persona or voice and put it into the field "resource"',
	},
	modelsField,
	modesField,
	{
		displayName: 'Resource IDs',
		name: 'resourceIds',
		type: 'string',
		default: '',
		placeholder: 'e.g. gen_8f3a1c, gen_90b2aa',
		description: 'Only events of these resources, separated by commas. Leave empty for all.',
	},
	{
		displayName: 'Statuses',
		name: 'statuses',
		type: 'multiOptions',
		options: [...statusOptions, { name: 'Ready', value: 'ready' }],
		default: [],
		description: 'Only resources with one of these statuses. Leave empty for all.',
	},
];

export const fields: INodeProperties[] = [
	...notices,
	{
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		required: true,
		options: eventOptions,
		default: ['generation.completed'],
		description: 'What starts the workflow',
	},
	{
		displayName: 'Create Webhook',
		name: 'registration',
		type: 'options',
		options: optionList<RegistrationMode>({
			automatic: {
				name: 'Automatic',
				description: 'Publishing the workflow creates the webhook, unpublishing deletes it',
			},
			manual: {
				name: 'By Hand',
				description: 'You have created a webhook with the URL of this node and have its secret',
			},
		}),
		default: 'automatic',
		description: 'Who creates the webhook at the service',
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: optionFields,
	},
];
