import { ENDPOINTS, LIMITS } from '../../../src/contract';
import {
	idempotency,
	idempotencyKey,
	waitForCompletion,
	waitTimeout,
} from '../../../src/description/fields/creation';
import { additionalJson } from '../../../src/description/fields/additionalJson';
import { dryRun, maxCreditsOrStop } from '../../../src/description/fields/cost';
import { options } from '../../../src/description/fields/options';
import { inBody, type Operation } from '../../../src/description/operation';
import { text } from '../../../src/description/rules';
import { nameField, sharedField } from './shared';

export const createFromDescription: Operation = {
	value: 'createFromDescription',
	name: 'Create From Description',
	action: 'Create a persona from a description',
	description:
		'Create a reusable visual identity from a description. An initial portrait is generated and paid for.',
	constants: { source: 'describe' },
	spec: {
		endpoint: ENDPOINTS.createPersona,
		output: 'job',
		object: 'persona',
		creates: true,
		charges: true,
	},
	fields: [
		nameField,
		{
			ui: {
				displayName: 'Description',
				name: 'description',
				type: 'string',
				typeOptions: { rows: 4 },
				required: true,
				default: '',
				placeholder: 'e.g. A captain in her fifties, silver braid, weathered blue coat',
				description: 'What the persona looks like, at most 800 characters',
			},
			mapping: inBody('description', text({ ...LIMITS.personaDescription, required: true })),
		},
		sharedField,
		{
			...waitForCompletion,
			ui: {
				...waitForCompletion.ui,
				description:
					'Whether to wait until the persona is ready to be used. Otherwise the output is the persona while it is pending.',
			},
		},
		options([additionalJson, dryRun, idempotencyKey, maxCreditsOrStop, idempotency, waitTimeout]),
	],
};
