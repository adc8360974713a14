import { ENDPOINTS } from '../../../../src/contract';
import {
	idempotency,
	idempotencyKey,
	idempotencyOptions,
} from '../../../../src/description/fields/creation';
import { additionalJson } from '../../../../src/description/fields/additionalJson';
import { options } from '../../../../src/description/fields/options';
import type { Field, Operation } from '../../../../src/description/operation';
import { descriptionField, eventsField, urlField } from './shared';

const includeSigningSecret: Field = {
	ui: {
		displayName: 'Include Signing Secret',
		name: 'includeSigningSecret',
		type: 'boolean',
		default: false,
		description:
			'Whether to put the signing secret into the output. The service reveals it only now, and anyone who knows it can sign events that look genuine. n8n stores it with the execution data: keep it elsewhere and delete the execution.',
	},
};

/** A webhook costs nothing and is not media, so the texts of these two are their own. */
const onceOnly: Field = {
	ui: {
		...idempotency.ui,
		displayName: 'Create Only Once Per',
		description:
			'What counts as the same request, which is carried out only once (its idempotency key)',
		options: idempotencyOptions('webhook', 'creates another webhook', 'create another webhook'),
	},
};

const onceOnlyKey: Field = {
	ui: {
		...idempotencyKey.ui,
		description:
			'Requests with the same key are carried out once: at most 255 characters, different for each request',
	},
};

export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create a webhook',
	description: 'Create a webhook that sends events to an address',
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
		options([additionalJson, onceOnly, onceOnlyKey, includeSigningSecret]),
	],
};
