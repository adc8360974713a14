import { EVENTS } from '../../../../src/contract';
import { inBody, type Field } from '../../../../src/description/operation';
import { choices, httpsUrl, text, whenSet } from '../../../../src/description/rules';

export const urlField: Field = {
	ui: {
		displayName: 'URL',
		name: 'url',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. https://example.com/webhook',
		description: 'The public https address that events are sent to',
	},
	mapping: inBody('url', httpsUrl({ required: true })),
};

const MEANINGS: Record<(typeof EVENTS)[number], string> = {
	'agent.completed': 'An agent run completes',
	'agent.failed': 'An agent run fails',
	'agent.review_required': 'An agent run reaches the review gate',
	'generation.completed': 'A generation completes',
	'generation.failed': 'A generation fails',
	'persona.failed': 'A described persona fails',
	'persona.ready': 'A described persona becomes ready',
	'voice.created': 'A custom voice is created',
};

export const eventsField: Field = {
	ui: {
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		required: true,
		options: [...EVENTS]
			.sort()
			.map((event) => ({ name: event, value: event, description: MEANINGS[event] })),
		default: [],
		description: 'What the service tells of; at least one',
	},
	mapping: inBody('events', choices(EVENTS, { required: true })),
};

export const descriptionField: Field = {
	ui: {
		displayName: 'Description',
		name: 'description',
		type: 'string',
		default: '',
		placeholder: 'e.g. Tells the website of finished videos',
		description: 'What the webhook is for',
	},
	mapping: inBody('description', text()),
};

/** The same field within an update: looked at only when it was added. */
export const updated = ({ ui, mapping: sent }: Field): Field => ({
	ui: { ...ui, required: false },
	...(sent && { mapping: { ...sent, rule: whenSet(sent.rule) } }),
});
