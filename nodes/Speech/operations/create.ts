import { ENDPOINTS, SPEECH_MODELS } from '../../../src/contract';
import { creationFields } from '../../../src/description/fields/creation';
import { delivery } from '../../../src/description/fields/delivery';
import { speechModelLocator } from '../../../src/description/fields/locators';
import { inBody, type Operation } from '../../../src/description/operation';
import { choice, located } from '../../../src/description/rules';
import { blocks } from './fields/blocks';
import { settings } from './fields/settings';

export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Generate speech from text',
	description: 'Speak up to 50 blocks of text, each with its voice, in one audio file',
	spec: {
		endpoint: ENDPOINTS.createSpeech,
		output: 'job',
		object: 'speech_generation',
		creates: true,
		charges: true,
	},
	fields: [
		{
			ui: speechModelLocator,
			mapping: inBody('model', located(choice(SPEECH_MODELS, { required: true }))),
		},
		...blocks,
		settings,
		...creationFields(delivery),
	],
};
