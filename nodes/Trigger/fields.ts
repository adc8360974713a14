import type { INodeProperties } from 'n8n-workflow';
import { EVENTS, GENERATION_MODES, type EventKind } from '../../src/contract';

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

const options: INodeProperties[] = [
	{
		displayName: 'Download Outputs',
		name: 'downloadOutputs',
		type: 'boolean',
		default: false,
		description:
			'Whether to read the resource and put its files into the binary fields data, data_1 and so on',
	},
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
		type: 'string',
		default: '',
		placeholder: 'e.g. completed, partially_completed',
		description:
			'Only resources with one of these statuses, with commas between; all where it is empty',
	},
];

export const fields: INodeProperties[] = [
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
