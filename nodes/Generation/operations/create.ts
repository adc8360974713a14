import { ENDPOINTS, GENERATION_MODES, LIMITS, type GenerationMode } from '../../../src/contract';
import { creationFields } from '../../../src/description/fields/creation';
import { delivery } from '../../../src/description/fields/delivery';
import { modelLocator, personaLocator } from '../../../src/description/fields/locators';
import { optionList } from '../../../src/description/fields/optionList';
import { inBody, type Field, type Operation } from '../../../src/description/operation';
import { choice, located, text, uuid } from '../../../src/description/rules';
import { input } from './fields/input';
import { parameters } from './fields/parameters';

const persona: Field = {
	ui: { ...personaLocator, displayOptions: { show: { mode: ['image', 'video'] } } },
	mapping: inBody('persona_id', located(uuid())),
};

export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Generate an image, video or audio',
	description: 'Generate images, videos, music, sound effects or speech',
	spec: {
		endpoint: ENDPOINTS.createGeneration,
		output: 'job',
		object: 'generation',
		takesPermit: true,
	},
	fields: [
		{
			ui: {
				displayName: 'Mode',
				name: 'mode',
				type: 'options',
				options: optionList<GenerationMode>({
					image: { name: 'Image', action: 'Generate an image' },
					video: { name: 'Video', action: 'Generate a video' },
					audio: {
						name: 'Audio',
						action: 'Generate music or speech',
						description: 'Music, sound effects or speech',
					},
				}),
				default: 'image',
				description: 'The kind of media to generate',
			},
			mapping: inBody('mode', choice(GENERATION_MODES, { required: true })),
		},
		{ ui: modelLocator, mapping: inBody('model', located(text({ required: true }))) },
		{
			ui: {
				displayName: 'Prompt',
				name: 'prompt',
				type: 'string',
				typeOptions: { rows: 4 },
				required: true,
				default: '',
				placeholder: 'e.g. A lighthouse on a cliff at dawn, oil painting',
				description:
					'What to generate, at most 10,000 characters. For speech, the text to speak. A model may allow less.',
			},
			mapping: inBody('prompt', text({ required: true, max: LIMITS.promptLength.max })),
		},
		parameters,
		input,
		...creationFields(persona, delivery),
	],
};
