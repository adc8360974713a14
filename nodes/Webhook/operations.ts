import { ENDPOINTS, EVENTS, type EventKind } from '../../src/api';
import { additionalJson } from '../../src/fields/commonFields';
import { eventOptions } from '../../src/fields/events';
import { ofItemBefore, thisWebhook, toDelete } from '../../src/fields/locators';
import {
	asSetting,
	deleteOperation,
	type Field,
	getManyOperation,
	getOperation,
	inBody,
	type Operation,
	options,
	updateFields,
} from '../../src/fields/operation';
import type { NodeResource } from '../../src/n8n/properties';
import { choices, flag, httpsUrl, prose } from '../../src/fields/rules';
import { idempotency, idempotencyKey, idempotencyOptions } from '../../src/fields/settings';

const urlField: Field = {
	displayName: 'URL',
	name: 'url',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. https://example.com/webhook',
	description: 'The public https address that events are sent to',
	mapping: inBody('url', httpsUrl({ required: true })),
};

const eventsField: Field = {
	displayName: 'Events',
	name: 'events',
	type: 'multiOptions',
	required: true,
	options: eventOptions,
	default: [],
	description: 'What the service reports; choose at least one',
	mapping: inBody('events', choices(EVENTS, { required: true })),
};

const descriptionField: Field = {
	displayName: 'Description',
	name: 'description',
	type: 'string',
	default: '',
	placeholder: 'e.g. Notifies the website of finished videos',
	description: 'What the webhook is for',
	mapping: inBody('description', prose()),
};

const includeSigningSecret: Field = {
	displayName: 'Include Signing Secret',
	name: 'includeSigningSecret',
	type: 'boolean',
	default: true,
	description:
		'Whether to put the signing secret into the output. The service reveals it only now, and anyone who knows it can sign events that look genuine. n8n stores it with the execution data: keep it elsewhere and delete the execution.',
	mapping: asSetting('includeSecret', flag()),
};

/**
 * _Avoid Paying Twice_ in words of its own, because a webhook costs nothing. The words of the others speak of
 * media and credits.
 */
const onceOnly: Field = {
	...idempotency,
	displayName: 'Avoid Creating Twice',
	description:
		'Which requests count as the same, so that they are carried out once (their idempotency key)',
	options: idempotencyOptions('never creates two', 'creates another'),
};

const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create a webhook',
	description: 'Have events sent to an address. Costs nothing; by default retries never make two.',
	spec: {
		endpoint: ENDPOINTS.createWebhook,
		output: 'resource',
		creates: true,
		holdsSecret: true,
	},
	fields: [
		urlField,
		eventsField,
		descriptionField,
		options([additionalJson, onceOnly, idempotencyKey, includeSigningSecret]),
	],
};

const get = getOperation('a webhook', ENDPOINTS.getWebhook, ofItemBefore(thisWebhook), {
	holdsSecret: true,
});

const getAll = getManyOperation('webhooks', ENDPOINTS.listWebhooks, [], { holdsSecret: true });

const update: Operation = {
	value: 'update',
	name: 'Update',
	action: 'Update a webhook',
	description: 'Change the address, the events or the description of a webhook. Costs nothing.',
	spec: { endpoint: ENDPOINTS.updateWebhook, output: 'resource', holdsSecret: true },
	fields: [
		...ofItemBefore(thisWebhook),
		updateFields([
			{ ...descriptionField, mapping: inBody('description', prose({ clears: true })) },
			{ ...eventsField, default: ['generation.completed' satisfies EventKind] },
			urlField,
		]),
	],
};

const deleteWebhook = deleteOperation(
	'a webhook',
	ENDPOINTS.deleteWebhook,
	[toDelete(thisWebhook)],
	{
		holdsSecret: true,
	},
);

const getAllDeliveries: Operation = {
	...getManyOperation(
		'deliveries of a webhook',
		ENDPOINTS.listDeliveries,
		ofItemBefore(thisWebhook),
		{
			holdsSecret: true,
		},
	),
	description: 'List the attempts to deliver events to a webhook. Costs nothing.',
};

export const resources: NodeResource[] = [
	{
		value: 'webhook',
		name: 'Webhook',
		operations: [create, deleteWebhook, get, getAll, update],
	},
	{ value: 'delivery', name: 'Delivery', operations: [getAllDeliveries] },
];
