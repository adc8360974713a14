import {
	type GenerationMode,
	type GenerationParameters,
	type InputSlot,
	LIMITS,
	SINGLE_ITEM_SLOTS,
} from '../../src/contract';
import {
	mediaField,
	modelValueLocator,
	modelVoiceLocator,
} from '../../src/description/fields/locators';
import { type Field, oneValueInBody } from '../../src/description/operation';
import { flag, located, media, number, type Rule, text } from '../../src/description/rules';
import type { INodeProperties } from 'n8n-workflow';

interface Slot {
	displayName: string;
	name: InputSlot;
	description: string;
	example?: string;
	/** The modes that the specification's words tie it to; default: all. */
	onlyIn?: readonly GenerationMode[];
}

const SINGLE: readonly string[] = SINGLE_ITEM_SLOTS;

const VIDEO = 'https://example.com/clip.mp4';

/** A slot takes URLs or binary fields. Specification: CreateGeneration, `input`. */
function slot({ displayName, name, description, example }: Slot): Field {
	const isSingle = SINGLE.includes(name);
	const rule = media(isSingle ? LIMITS.singleItemSlot : {});
	const ui = { displayName, name, description, example };
	return mediaField({ ...ui, as: `input.${name}`, rule, isMany: !isSingle });
}

/** In the order in which people look for them. A model takes few of them; its catalogue entry says which. */
const SLOTS: Slot[] = [
	{
		displayName: 'Start Frame',
		name: 'start_frame',
		description: 'The image that the video begins with',
		onlyIn: ['video'],
	},
	{
		displayName: 'End Frame',
		name: 'end_frame',
		description: 'The image that the video ends with',
		onlyIn: ['video'],
	},
	{
		displayName: 'Reference Images',
		name: 'reference_images',
		description: 'Images of what appears in the result',
		onlyIn: ['image', 'video'],
	},
	{
		displayName: 'Character',
		name: 'character',
		description: 'An image of the character in the result',
		onlyIn: ['image', 'video'],
	},
	{
		displayName: 'Guide Images',
		name: 'image_refs',
		description: 'Images that guide the result, for models that take image_refs',
	},
	{
		displayName: 'Source Video',
		name: 'video',
		description: 'The video to work on',
		example: VIDEO,
		onlyIn: ['video', 'audio'],
	},
	{
		displayName: 'Motion Video',
		name: 'motion_video',
		description: 'The video to take the motion from',
		example: VIDEO,
		onlyIn: ['video'],
	},
	{
		displayName: 'Guide Videos',
		name: 'video_refs',
		description: 'Videos that guide the result',
		example: VIDEO,
		onlyIn: ['video', 'audio'],
	},
	{
		displayName: 'Guide Audio',
		name: 'audio_refs',
		description: 'Audio that guides the result',
		example: 'https://example.com/sound.mp3',
		onlyIn: ['video', 'audio'],
	},
];

/** What a model of this mode may work from. */
export const input = (mode: GenerationMode): Field => ({
	displayName: 'Input Media',
	name: 'input',
	type: 'collection',
	placeholder: 'Add input',
	default: {},
	description: 'Media to work from. Add only what the model accepts.',
	fields: SLOTS.filter(({ onlyIn }) => onlyIn?.includes(mode) ?? true).map(slot),
});

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
	field: { ...ui, mapping: oneValueInBody(`parameters.${ui.name}`, rule) },
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
				displayName: 'Duration (Seconds)',
				name: 'duration',
				placeholder: 'e.g. 5',
				description: 'One of the lengths that the model lists',
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
				description: 'The language to favor',
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
			description: 'Whether the end leads into the beginning',
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
				description: 'The resolution, such as 720p',
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
				description: 'Width and height in pixels, such as 1024x1024',
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
				description: 'How fast: 1 is normal',
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
	displayName: 'Parameters',
	name: 'parameters',
	type: 'collection',
	placeholder: 'Add parameter',
	default: {},
	description: 'Add only what the chosen model offers',
	fields: SETTINGS.filter(({ onlyIn }) => onlyIn?.includes(mode) ?? true).map(({ field }) => field),
});
