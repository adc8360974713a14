import type { INodeProperties } from 'n8n-workflow';
import { GENERATION_MODES, type GenerationStatus } from '../contract';
import { eventOptions } from '../description/fields/events';
import { optionList } from '../description/fields/optionList';

/** Who creates the webhook at the service. */
export type RegistrationMode = 'automatic' | 'manual';

/** The filter by mode, in both triggers. */
export const modesField: INodeProperties = {
	displayName: 'Modes',
	name: 'modes',
	type: 'multiOptions',
	options: GENERATION_MODES.map((value) => ({
		name: value[0]?.toUpperCase() + value.slice(1),
		value,
	})),
	default: [],
	description: 'Only generations of these modes. Leave empty for all modes.',
};

/** The filter by model, in both triggers. */
export const modelsField: INodeProperties = {
	displayName: 'Model Names or IDs',
	name: 'models',
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getModels' },
	default: [],
	description:
		'Only outputs of these models. Leave empty for all models. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
};

/** Whether files come along, in both triggers. */
export const downloadField: INodeProperties = {
	displayName: 'Download Outputs',
	name: 'downloadOutputs',
	type: 'boolean',
	default: false,
	description:
		'Whether to read the resource and download its files into the binary fields data, data_1 and so on',
};

/** The terminal statuses of a generation, in both triggers. */
export const statusOptions = optionList<Exclude<GenerationStatus, 'queued'>>({
	completed: { name: 'Completed' },
	failed: { name: 'Failed' },
	partially_completed: { name: 'Partially Completed' },
});

const options: INodeProperties[] = [
	downloadField,
	{
		displayName: 'Fetch Resource',
		name: 'fetchResource',
		type: 'boolean',
		default: false,
		description:
			'Whether to read the whole resource into the field "resource", so that the workflow does not depend on the shape of the payload',
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
		description:
			'Only resources with one of these statuses. Leave empty for all. Other statuses, such as those of agent runs, can be given by an expression.',
	},
];

/** Shown before the workflow is published: n8n reports what is missing only afterwards. */
const notices: INodeProperties[] = [
	{
		displayName:
			'The service delivers events only to public <b>https</b> addresses. Before you publish or listen for a test event, check that the Webhook URLs above begin with https; if they do not, set WEBHOOK_URL of n8n to its public address. If n8n has no public address, use the <b>MediaGen Polling Trigger</b>.',
		name: 'notice',
		type: 'notice',
		default: '',
		displayOptions: { show: { registration: ['automatic' satisfies RegistrationMode] } },
	},
	{
		displayName:
			'1. Copy the <b>Production URL</b> from Webhook URLs above; it must begin with https.<br>2. Create a webhook with this URL and your events at the service, for example with <b>MediaGen Webhook: Create</b> and its option <b>Include Signing Secret</b>.<br>3. Put its signing secret into the credential <b>MediaGen Webhook Secret API</b> of this node.<br>4. Publish the workflow.<br>The Test URL is another address: to listen for test events, it needs a webhook of its own, with its secret in the credential for that time.',
		name: 'notice',
		type: 'notice',
		default: '',
		displayOptions: { show: { registration: ['manual' satisfies RegistrationMode] } },
	},
];

/** The fields of the event trigger, in the order of the editor. */
export const fields: INodeProperties[] = [
	...notices,
	{
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		required: true,
		options: eventOptions,
		default: ['generation.completed'],
		description: 'The events that start the workflow',
	},
	{
		displayName: 'Registration',
		name: 'registration',
		type: 'options',
		options: optionList<RegistrationMode>({
			automatic: {
				name: 'Automatic',
				description:
					'Registers a webhook when the workflow is published, and deletes it when it is unpublished',
			},
			manual: {
				name: 'By Hand',
				description:
					'You have created a webhook with the URL of this node elsewhere and have its secret',
			},
		}),
		default: 'automatic' satisfies RegistrationMode,
		description: 'Who creates the webhook at the service',
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options,
	},
];
