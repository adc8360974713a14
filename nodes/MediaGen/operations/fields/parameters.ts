import type { INodeProperties } from 'n8n-workflow';
import { LIMITS, type GenerationMode, type GenerationParameters } from '../../../../src/contract';
import { modelValueLocator, modelVoiceLocator } from '../../../../src/description/fields/locators';
import { oneValueInBody, type Field } from '../../../../src/description/operation';
import { flag, located, number, text, type Rule } from '../../../../src/description/rules';

type Named = INodeProperties & { name: keyof GenerationParameters };

interface Setting {
	field: Field;
	/** The modes that the specification's words tie it to; default: all. */
	onlyIn?: readonly GenerationMode[];
}

/**
 * The hook reads the whole collection: n8n's routing finds no locator in a collection that is
 * itself called `parameters`.
 */
const setting = (
	ui: INodeProperties,
	onlyIn?: readonly GenerationMode[],
	rule: Rule = located(text()),
): Setting => ({
	field: { ui, mapping: oneValueInBody(`parameters.${ui.name}`, rule) },
	...(onlyIn && { onlyIn }),
});

const plain = (ui: Named) => ui;

const SETTINGS: Setting[] = [
	setting(
		modelValueLocator(
			{
				displayName: 'Aspect Ratio',
				name: 'aspect_ratio',
				placeholder: 'e.g. 16:9',
				description: 'The ratio of width to height',
			},
			'searchAspectRatios',
		),
		['image', 'video'],
	),
	setting(
		plain({
			displayName: 'Count',
			name: 'count',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 16 },
			default: 1,
			description: 'How many outputs to make, from 1 to 16',
		}),
		undefined,
		number({ ...LIMITS.count, integer: true }),
	),
	setting(
		modelValueLocator(
			{
				displayName: 'Duration',
				name: 'duration',
				placeholder: 'e.g. 5',
				description:
					'The length of a video, a piece of music or a sound, in seconds unless the model lists other values',
			},
			'searchDurations',
		),
		['video', 'audio'],
	),
	setting(
		modelValueLocator(
			{
				displayName: 'Language Boost',
				name: 'language_boost',
				placeholder: 'e.g. English',
				description: 'The language that the speech should favor',
			},
			'searchLanguages',
		),
		['audio'],
	),
	setting(
		plain({
			displayName: 'Loop',
			name: 'loop',
			type: 'boolean',
			default: false,
			description: 'Whether the end should lead seamlessly into the beginning',
		}),
		['video', 'audio'],
		flag(),
	),
	setting(
		plain({
			displayName: 'Lyrics',
			name: 'lyrics',
			type: 'string',
			typeOptions: { rows: 4 },
			default: '',
			placeholder: 'e.g. We set out at the break of day',
			description: 'The words to sing',
		}),
		['audio'],
	),
	setting(
		modelValueLocator(
			{
				displayName: 'Quality',
				name: 'quality',
				placeholder: 'e.g. high',
				description: 'The quality level',
			},
			'searchQualities',
		),
	),
	setting(
		modelValueLocator(
			{
				displayName: 'Resolution',
				name: 'resolution',
				placeholder: 'e.g. 1080p',
				description: 'The resolution of an image or a video',
			},
			'searchResolutions',
		),
		['image', 'video'],
	),
	setting(
		modelValueLocator(
			{
				displayName: 'Size',
				name: 'size',
				placeholder: 'e.g. 1024x1024',
				description: 'Width and height in pixels',
			},
			'searchSizes',
		),
		['image', 'video'],
	),
	setting(
		modelValueLocator(
			{
				displayName: 'Speed',
				name: 'speed',
				placeholder: 'e.g. 1.2',
				description: 'How fast to speak; for a video, what the model takes it for',
			},
			'searchSpeeds',
		),
		['video', 'audio'],
	),
	setting(modelVoiceLocator, ['audio']),
];

/**
 * The settings of a model. Not every model takes every one; the service decides. Specification:
 * CreateGeneration, `parameters`.
 */
export const parameters = (mode: GenerationMode): Field => ({
	ui: {
		displayName: 'Parameters',
		name: 'parameters',
		type: 'collection',
		placeholder: 'Add parameter',
		default: {},
		description: 'Settings of the model. Add only what the chosen model offers.',
	},
	fields: SETTINGS.filter(({ onlyIn }) => onlyIn?.includes(mode) ?? true).map(({ field }) => field),
});
