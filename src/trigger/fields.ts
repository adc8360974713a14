import type { INodeProperties } from 'n8n-workflow';
import { EVENTS, GENERATION_MODES, type EventKind } from '../contract';

const EVENT_WORDS: Record<EventKind, [name: string, description: string]> = {
	'agent.completed': ['Agent Run Completed', 'An agent run has completed'],
	'agent.failed': ['Agent Run Failed', 'An agent run has failed'],
	'agent.review_required': ['Agent Run Needs Review', 'An agent run has reached the review gate'],
	'generation.completed': ['Generation Completed', 'A generation has completed'],
	'generation.failed': ['Generation Failed', 'A generation has failed'],
	'persona.failed': ['Persona Failed', 'A described persona could not be made'],
	'persona.ready': ['Persona Ready', 'A described persona has become ready'],
	'voice.created': ['Voice Created', 'A custom voice has been created'],
};

const byName = (left: { name: string }, right: { name: string }) =>
	left.name.localeCompare(right.name);

const eventOptions = EVENTS.map((value) => {
	const [name, description] = EVENT_WORDS[value];
	return { name, value, description };
}).sort(byName);

export const modesField: INodeProperties = {
	displayName: 'Modes',
	name: 'modes',
	type: 'multiOptions',
	options: GENERATION_MODES.map((value) => ({
		name: value[0]?.toUpperCase() + value.slice(1),
		value,
	})),
	default: [],
	description: 'Only generations of these modes; all where none is chosen',
};

export const modelsField: INodeProperties = {
	displayName: 'Model Names or IDs',
	name: 'models',
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getModels' },
	default: [],
	description:
		'Only what these models have made; all where none is chosen. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
};

export const downloadField: INodeProperties = {
	displayName: 'Download Outputs',
	name: 'downloadOutputs',
	type: 'boolean',
	default: false,
	description:
		'Whether to read the resource and put its files into the binary fields data, data_1 and so on',
};

/** How generations end, in both triggers. */
export const endOptions = [
	{ name: 'Completed', value: 'completed' },
	{ name: 'Failed', value: 'failed' },
	{ name: 'Partially Completed', value: 'partially_completed' },
];

const options: INodeProperties[] = [
	downloadField,
	{
		displayName: 'Fetch Resource',
		name: 'fetchResource',
		type: 'boolean',
		default: false,
		description:
			'Whether to read the whole resource into the field resource, so that the workflow does not depend on the shape of the payload',
	},
	modelsField,
	modesField,
	{
		displayName: 'Resource IDs',
		name: 'resourceIds',
		type: 'string',
		default: '',
		placeholder: 'e.g. gen_8f3a1c, gen_90b2aa',
		description: 'Only events of these resources, with commas between; of all where it is empty',
	},
	{
		displayName: 'Statuses',
		name: 'statuses',
		type: 'multiOptions',
		options: [...endOptions, { name: 'Ready', value: 'ready' }],
		default: [],
		description:
			'Only resources with one of these statuses; all where none is chosen. Others, such as those of agent runs, can be given by an expression.',
	},
];

/** Said before anybody publishes: n8n shows the error of a publication only afterwards. */
const notices: INodeProperties[] = [
	{
		displayName:
			'The service delivers events only to public <b>https</b> addresses. Before you publish or listen for a test event, see that the Webhook URLs above begin with https; if not, set WEBHOOK_URL of n8n to its public address. Where there is none, use the <b>MediaGen Polling Trigger</b>.',
		name: 'notice',
		type: 'notice',
		default: '',
		displayOptions: { show: { registration: ['automatic'] } },
	},
	{
		displayName:
			'1. Copy the <b>Production URL</b> from Webhook URLs above; it has to begin with https.<br>2. Create a webhook with this URL and your events at the service, for example with <b>MediaGen Webhook: Create</b> and its option <b>Include Signing Secret</b>.<br>3. Put its signing secret into the credential <b>MediaGen Webhook Secret API</b> of this node.<br>4. Publish the workflow.<br>The Test URL is another address: to listen for test events it needs a webhook of its own, and its secret in the credential meanwhile.',
		name: 'notice',
		type: 'notice',
		default: '',
		displayOptions: { show: { registration: ['manual'] } },
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
		description: 'The events that start the workflow',
	},
	{
		displayName: 'Registration',
		name: 'registration',
		type: 'options',
		options: [
			{
				name: 'Automatic',
				value: 'automatic',
				description: 'Registers a webhook when the workflow is published and deletes it afterwards',
			},
			{
				name: 'By Hand',
				value: 'manual',
				description:
					'You have made a webhook with the URL of this node elsewhere and have its secret',
			},
		],
		default: 'automatic',
		description: 'Who makes the webhook at the service',
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
