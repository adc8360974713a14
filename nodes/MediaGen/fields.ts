import {
	type GenerationMode,
	type InputSlot,
	LIMITS,
	type ListedParameter,
	SINGLE_ITEM_SLOTS,
} from '../../src/api';
import { collection, type Field, inBody } from '../../src/fields/operation';
import { catalogueValue, mediaField, modelVoiceLocator } from '../../src/fields/locators';
import { flag, located, media, name as nameRule, number, prose } from '../../src/fields/rules';

/** A field of generations, with the modes for which the specification describes it. */
interface OfModes {
	modes: GenerationMode[];
	field: Field;
}

const fieldsFor = (mode: GenerationMode, all: OfModes[]): Field[] =>
	all.filter(({ modes }) => modes.includes(mode)).map(({ field }) => field);

const VISUAL: GenerationMode[] = ['image', 'video'];
const MOVING: GenerationMode[] = ['video', 'audio'];
const ALL: GenerationMode[] = ['image', 'video', 'audio'];

const SINGLE: readonly string[] = SINGLE_ITEM_SLOTS;

const VIDEO = 'https://example.com/clip.mp4';

interface InputField extends Pick<Field, 'displayName' | 'description'> {
	name: InputSlot;
	modes: GenerationMode[];
	example?: string;
}

/** A field for media, as URLs or binary fields. Specification: CreateGeneration, `input`. */
function inputField({ modes, name, ...ui }: InputField): OfModes {
	const isMany = !SINGLE.includes(name);
	const rule = media(isMany ? {} : LIMITS.singleItemSlot);
	return { modes, field: mediaField({ ...ui, name, as: `input.${name}`, rule, isMany }) };
}

/** In the order in which people look for them. A model takes few of them; its catalogue entry says which. */
const INPUT_FIELDS: OfModes[] = [
	inputField({
		name: 'start_frame',
		displayName: 'Start Frame',
		description: 'The image that the video begins with',
		modes: ['video'],
	}),
	inputField({
		name: 'end_frame',
		displayName: 'End Frame',
		description: 'The image that the video ends with',
		modes: ['video'],
	}),
	inputField({
		name: 'reference_images',
		displayName: 'Reference Images',
		description: 'Images of what appears in the result',
		modes: VISUAL,
	}),
	inputField({
		name: 'character',
		displayName: 'Character',
		description: 'An image of the character in the result',
		modes: VISUAL,
	}),
	inputField({
		name: 'image_refs',
		displayName: 'Image Refs',
		description: 'Images for the model input image_refs, which is not Reference Images',
		modes: ALL,
	}),
	inputField({
		name: 'video',
		displayName: 'Source Video',
		description: 'The video to work on',
		modes: MOVING,
		example: VIDEO,
	}),
	inputField({
		name: 'motion_video',
		displayName: 'Motion Video',
		description: 'The video to take the motion from',
		modes: ['video'],
		example: VIDEO,
	}),
	inputField({
		name: 'video_refs',
		displayName: 'Video Refs',
		description: 'Videos for the model input video_refs, which is not Source Video',
		modes: MOVING,
		example: VIDEO,
	}),
	inputField({
		name: 'audio_refs',
		displayName: 'Audio Refs',
		description: 'Audio for the model input audio_refs',
		modes: MOVING,
		example: 'https://example.com/sound.mp3',
	}),
];

export const input = (mode: GenerationMode): Field => ({
	displayName: 'Input Media',
	name: 'input',
	type: 'collection',
	placeholder: 'Add input',
	default: {},
	description: 'Media to work from. Add only what the model accepts.',
	fields: fieldsFor(mode, INPUT_FIELDS),
});

const { count } = LIMITS;

const sent = (name: string, rule = located(nameRule())) => inBody(`parameters.${name}`, rule);

/** A parameter whose values the catalogue may list. The API takes them as texts. */
const listed = (
	name: ListedParameter,
	displayName: string,
	modes: GenerationMode[],
	ui: { placeholder: string; description: string },
): OfModes => ({
	modes,
	field: {
		displayName,
		name,
		...catalogueValue(name, ui.placeholder),
		description: ui.description,
		mapping: sent(name),
	},
});

/** Every parameter of a generation. Specification: CreateGeneration, `parameters`. */
const PARAMETERS: OfModes[] = [
	listed('aspect_ratio', 'Aspect Ratio', VISUAL, {
		placeholder: 'e.g. 16:9',
		description: 'The ratio of width to height',
	}),
	{
		modes: ALL,
		field: {
			displayName: 'Count',
			name: 'count',
			type: 'number',
			typeOptions: { minValue: count.min, maxValue: count.max },
			default: 1,
			description: `How many outputs to make, from ${count.min} to ${count.max}`,
			mapping: sent('count', number({ ...count, integer: true })),
		},
	},
	listed('duration', 'Duration (Seconds)', MOVING, {
		placeholder: 'e.g. 5',
		description: 'One of the lengths that the model lists',
	}),
	listed('language_boost', 'Language Boost', ['audio'], {
		placeholder: 'e.g. English',
		description: 'The language to favor',
	}),
	{
		modes: MOVING,
		field: {
			displayName: 'Loop',
			name: 'loop',
			type: 'boolean',
			default: true,
			description: 'Whether the end leads back into the beginning',
			mapping: sent('loop', flag()),
		},
	},
	{
		modes: ['audio'],
		field: {
			displayName: 'Lyrics',
			name: 'lyrics',
			type: 'string',
			typeOptions: { rows: 4 },
			default: '',
			placeholder: 'e.g. We set out at the break of day',
			description: 'The words to sing',
			mapping: sent('lyrics', prose()),
		},
	},
	listed('quality', 'Quality', ALL, {
		placeholder: 'e.g. high',
		description: 'The quality level',
	}),
	listed('resolution', 'Resolution', VISUAL, {
		placeholder: 'e.g. 1080p',
		description: 'The resolution, such as 720p',
	}),
	listed('size', 'Size', VISUAL, {
		placeholder: 'e.g. 1024x1024',
		description: 'Width and height in pixels, such as 1024x1024',
	}),
	listed('speed', 'Speed', MOVING, {
		placeholder: 'e.g. 1.2',
		description: 'How fast: 1 is normal',
	}),
	{ modes: ['audio'], field: { ...modelVoiceLocator, mapping: sent('voice') } },
];

/** All parameters of a mode. A model takes only a few of them: which, the service decides. */
export const parameters = (mode: GenerationMode): Field =>
	collection(
		{
			displayName: 'Parameters',
			name: 'parameters',
			placeholder: 'Add parameter',
			description: 'Add only what the chosen model offers',
		},
		fieldsFor(mode, PARAMETERS),
	);
