import { ENDPOINTS } from '../../../../src/contract';
import { idempotency, idempotencyKey } from '../../../../src/description/fields/creation';
import { additionalJson } from '../../../../src/description/fields/additionalJson';
import { optionList } from '../../../../src/description/fields/optionList';
import { options } from '../../../../src/description/fields/options';
import type { Field, Operation } from '../../../../src/description/operation';
import type { IdempotencyMode } from '../../../../src/transport/item/settings';
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
		options: optionList<IdempotencyMode>({
			execution: {
				name: 'Execution Item',
				description:
					'The same item of an execution, including Retry On Fail and Retry Execution. After a crash of n8n, a new execution creates another webhook.',
			},
			content: {
				name: 'Content',
				description:
					'The same request of this node within 24 hours gives the same webhook: identical items, rounds of a loop and other executions, also after a crash of n8n',
			},
			custom: {
				name: 'Custom Key',
				description:
					'Requests with the same key, which you give, within 24 hours: also in another execution and after a crash of n8n',
			},
			none: {
				name: 'Try (No Protection)',
				description: 'Every attempt is a new request: a retried node may create another webhook',
			},
		}),
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
	spec: { endpoint: ENDPOINTS.createWebhook, output: 'resource', holdsSecret: true },
	fields: [
		urlField,
		eventsField,
		descriptionField,
		options([additionalJson, onceOnly, onceOnlyKey, includeSigningSecret]),
	],
};
