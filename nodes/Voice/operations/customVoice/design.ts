import { keyOptions } from '../../../../src/description/fields/keys';
import { additionalFields } from '../../../../src/description/fields/options';
import { inBody, type Operation } from '../../../../src/description/operation';
import { text } from '../../../../src/description/rules';
import { CREATION, nameField, previewText } from './shared';

export const design: Operation = {
	value: 'design',
	name: 'Design',
	action: 'Design a voice from a description',
	description: 'Create a voice from a description',
	constants: { kind: 'design' },
	spec: CREATION,
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
				description: 'How the voice should sound',
			},
			mapping: inBody('description', text({ required: true })),
		},
		additionalFields([previewText(text())]),
		keyOptions,
	],
};
