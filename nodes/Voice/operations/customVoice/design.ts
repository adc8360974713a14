import { ENDPOINTS } from '../../../../src/contract';
import { keyOptions } from '../../../../src/description/fields/keys';
import { additionalFields } from '../../../../src/description/fields/options';
import { inBody, type Operation } from '../../../../src/description/operation';
import { text } from '../../../../src/description/rules';
import { ANSWER_TIMEOUT_MS, nameField, previewText } from './shared';

export const design: Operation = {
	value: 'design',
	name: 'Design',
	action: 'Design a voice from a description',
	description: 'Make a voice from a description',
	constants: { kind: 'design' },
	spec: {
		endpoint: ENDPOINTS.createVoice,
		output: 'resource',
		object: 'voice',
		responseTimeoutMs: ANSWER_TIMEOUT_MS,
	},
	fields: [
		nameField(),
		{
			ui: {
				displayName: 'Description',
				name: 'description',
				type: 'string',
				typeOptions: { rows: 3 },
				required: true,
				default: '',
				placeholder: 'e.g. A calm, deep voice of an elderly storyteller',
				description: 'How the voice shall sound',
			},
			mapping: inBody('description', text({ required: true })),
		},
		additionalFields([previewText(text())]),
		keyOptions,
	],
};
