import type { INodeProperties } from 'n8n-workflow';
import { LIMITS, type GenerationParameters } from '../../../../src/contract';
import { inBody, type Field } from '../../../../src/description/operation';
import { flag, number, text, type Rule } from '../../../../src/description/rules';

type Named = INodeProperties & { name: keyof GenerationParameters };

const setting = (ui: Named, rule: Rule = text()): Field => ({
	ui,
	mapping: inBody(`parameters.${ui.name}`, rule),
});

/** Not every model takes every one; the service decides. Specification: CreateGeneration, `parameters`. */
export const parameters: Field = {
	ui: {
		displayName: 'Parameters',
		name: 'parameters',
		type: 'collection',
		placeholder: 'Add parameter',
		default: {},
		description: 'Settings of the model. Add only what the chosen model offers.',
	},
	fields: [
		setting({
			displayName: 'Aspect Ratio',
			name: 'aspect_ratio',
			type: 'string',
			default: '',
			placeholder: 'e.g. 16:9',
			description: 'The proportion of width to height',
		}),
		setting(
			{
				displayName: 'Count',
				name: 'count',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 16 },
				default: 1,
				description: 'How many outputs to make, from 1 to 16',
			},
			number({ ...LIMITS.count, integer: true }),
		),
		setting({
			displayName: 'Duration',
			name: 'duration',
			type: 'string',
			default: '',
			placeholder: 'e.g. 5',
			description:
				'The length of a video, a piece of music or a sound, in the values that the model lists',
		}),
		setting({
			displayName: 'Language Boost',
			name: 'language_boost',
			type: 'string',
			default: '',
			placeholder: 'e.g. English',
			description: 'The language that speech should lean to',
		}),
		setting(
			{
				displayName: 'Loop',
				name: 'loop',
				type: 'boolean',
				default: false,
				description: 'Whether the end of the audio should lead seamlessly into its beginning',
			},
			flag(),
		),
		setting({
			displayName: 'Lyrics',
			name: 'lyrics',
			type: 'string',
			typeOptions: { rows: 4 },
			default: '',
			placeholder: 'e.g. We set out at the break of day',
			description: 'The words to sing',
		}),
		setting({
			displayName: 'Quality',
			name: 'quality',
			type: 'string',
			default: '',
			placeholder: 'e.g. high',
			description: 'The quality level, in the values that the model lists',
		}),
		setting({
			displayName: 'Resolution',
			name: 'resolution',
			type: 'string',
			default: '',
			placeholder: 'e.g. 1080p',
			description: 'The resolution of a video, in the values that the model lists',
		}),
		setting({
			displayName: 'Size',
			name: 'size',
			type: 'string',
			default: '',
			placeholder: 'e.g. 1024x1024',
			description: 'The size of an image, in the values that the model lists',
		}),
		setting({
			displayName: 'Speed',
			name: 'speed',
			type: 'string',
			default: '',
			placeholder: 'e.g. 1.2',
			description: 'How fast to speak',
		}),
		setting({
			displayName: 'Voice',
			name: 'voice',
			type: 'string',
			default: '',
			placeholder: 'e.g. aria',
			description:
				'The ID of a preset voice of the model, or of a custom voice for the model that speaks with cloned voices',
		}),
	],
};
