import { EVENTS } from '../../../../src/contract';
import { eventOptions } from '../../../../src/description/fields/events';
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

export const eventsField: Field = {
	ui: {
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		required: true,
		options: eventOptions,
		default: [],
		description: 'What the service reports; choose at least one',
	},
	mapping: inBody('events', choices(EVENTS, { required: true })),
};

export const descriptionField: Field = {
	ui: {
		displayName: 'Description',
		name: 'description',
		type: 'string',
		default: '',
		placeholder: 'e.g. Notifies the website of finished videos',
		description: 'What the webhook is for',
	},
	mapping: inBody('description', text()),
};

/** The same field within an update: used only if it was added. */
export const forUpdate = ({ ui, mapping }: Field): Field => ({
	ui: { ...ui, required: false },
	...(mapping && { mapping: { ...mapping, rule: whenSet(mapping.rule) } }),
});
