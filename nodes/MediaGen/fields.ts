import type { INodeProperties } from 'n8n-workflow';
import {
	type GenerationMode,
	type GenerationParameters,
	type InputSlot,
	LIMITS,
	SINGLE_ITEM_SLOTS,
} from '../../src/contract';
import { collection, type Field, inBody } from '../../src/fields/operation';
import { catalogueValue, mediaField, modelVoiceLocator } from '../../src/fields/locators';
import { flag, located, media, number, type Rule, text } from '../../src/fields/rules';

type Name = InputSlot | keyof GenerationParameters;

/** The modes that the specification's words tie a field to; others are for all. */
const ONLY_IN: Partial<Record<Name, GenerationMode[]>> = {
	start_frame: ['video'],
	end_frame: ['video'],
	reference_images: ['image', 'video'],
	character: ['image', 'video'],
	video: ['video', 'audio'],
	motion_video: ['video'],
	video_refs: ['video', 'audio'],
	audio_refs: ['video', 'audio'],
	aspect_ratio: ['image', 'video'],
	duration: ['video', 'audio'],
	language_boost: ['audio'],
	loop: ['video', 'audio'],
	lyrics: ['audio'],
	resolution: ['image', 'video'],
	size: ['image', 'video'],
	speed: ['video', 'audio'],
	voice: ['audio'],
};

const fieldsOf = (mode: GenerationMode, fields: Field[]): Field[] =>
	fields.filter(({ name }) => ONLY_IN[name as Name]?.includes(mode) ?? true);

const SINGLE: readonly string[] = SINGLE_ITEM_SLOTS;

const VIDEO = 'https://example.com/clip.mp4';

/** A slot takes URLs or binary fields. Specification: CreateGeneration, `input`. */
function slot(name: InputSlot, displayName: string, description: string, example?: string): Field {
	const isMany = !SINGLE.includes(name);
	const rule = media(isMany ? {} : LIMITS.singleItemSlot);
	return mediaField({ displayName, name, description, example, as: `input.${name}`, rule, isMany });
}

/** In the order in which people look for them. A model takes few of them; its catalogue entry says which. */
const SLOTS: Field[] = [
	slot('start_frame', 'Start Frame', 'The image that the video begins with'),
	slot('end_frame', 'End Frame', 'The image that the video ends with'),
	slot('reference_images', 'Reference Images', 'Images of what appears in the result'),
	slot('character', 'Character', 'An image of the character in the result'),
	slot(
		'image_refs',
		'Guide Images',
		'Images that guide the result, for models that take image_refs',
	),
	slot('video', 'Source Video', 'The video to work on', VIDEO),
	slot('motion_video', 'Motion Video', 'The video to take the motion from', VIDEO),
	slot('video_refs', 'Guide Videos', 'Videos that guide the result', VIDEO),
	slot(
		'audio_refs',
		'Guide Audio',
		'Audio that guides the result',
		'https://example.com/sound.mp3',
	),
];

export const input = (mode: GenerationMode): Field => ({
	displayName: 'Input Media',
	name: 'input',
	type: 'collection',
	placeholder: 'Add input',
	default: {},
	description: 'Media to work from. Add only what the model accepts.',
	fields: fieldsOf(mode, SLOTS),
});

const PARAMETERS: INodeProperties[] = [
	{
		displayName: 'Aspect Ratio',
		name: 'aspect_ratio',
		...catalogueValue('searchAspectRatios', 'e.g. 16:9'),
		description: 'The ratio of width to height',
	},
	{
		displayName: 'Count',
		name: 'count',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 16 },
		default: 1,
		description: 'How many outputs to make, from 1 to 16',
	},
	{
		displayName: 'Duration (Seconds)',
		name: 'duration',
		...catalogueValue('searchDurations', 'e.g. 5'),
		description: 'One of the lengths that the model lists',
	},
	{
		displayName: 'Language Boost',
		name: 'language_boost',
		...catalogueValue('searchLanguages', 'e.g. English'),
		description: 'The language to favor',
	},
	{
		displayName: 'Loop',
		name: 'loop',
		type: 'boolean',
		default: false,
		description: 'Whether the end leads into the beginning',
	},
	{
		displayName: 'Lyrics',
		name: 'lyrics',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		placeholder: 'e.g. We set out at the break of day',
		description: 'The words to sing',
	},
	{
		displayName: 'Quality',
		name: 'quality',
		...catalogueValue('searchQualities', 'e.g. high'),
		description: 'The quality level',
	},
	{
		displayName: 'Resolution',
		name: 'resolution',
		...catalogueValue('searchResolutions', 'e.g. 1080p'),
		description: 'The resolution, such as 720p',
	},
	{
		displayName: 'Size',
		name: 'size',
		...catalogueValue('searchSizes', 'e.g. 1024x1024'),
		description: 'Width and height in pixels, such as 1024x1024',
	},
	{
		displayName: 'Speed',
		name: 'speed',
		...catalogueValue('searchSpeeds', 'e.g. 1.2'),
		description: 'How fast: 1 is normal',
	},
	modelVoiceLocator,
];

const PARAMETER_RULES: Record<string, Rule> = {
	count: number({ ...LIMITS.count, integer: true }),
	loop: flag(),
};

/** A model takes few of them; the service decides. Specification: CreateGeneration, `parameters`. */
export const parameters = (mode: GenerationMode): Field =>
	collection(
		{
			displayName: 'Parameters',
			name: 'parameters',
			placeholder: 'Add parameter',
			description: 'Add only what the chosen model offers',
		},
		fieldsOf(mode, PARAMETERS).map((ui) => {
			const rule = PARAMETER_RULES[ui.name] ?? located(text());
			return { ...ui, mapping: inBody(`parameters.${ui.name}`, rule) };
		}),
	);
