import {
	LIMITS,
	SINGLE_ITEM_SLOTS,
	type GenerationMode,
	type InputSlot,
} from '../../../../src/contract';
import { mediaField } from '../../../../src/description/fields/mediaLocator';
import type { Field } from '../../../../src/description/operation';
import { media } from '../../../../src/description/rules';

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

const SLOTS: Slot[] = [
	{
		displayName: 'Audio References',
		name: 'audio_refs',
		description: 'Audio that guides the result',
		example: 'https://example.com/sound.mp3',
		onlyIn: ['video', 'audio'],
	},
	{
		displayName: 'Character',
		name: 'character',
		description: 'The character that appears in the result',
		onlyIn: ['image', 'video'],
	},
	{
		displayName: 'End Frame',
		name: 'end_frame',
		description: 'The image that the video ends with',
		onlyIn: ['video'],
	},
	{
		displayName: 'Image References',
		name: 'image_refs',
		description: 'Images that guide the result',
	},
	{
		displayName: 'Motion Video',
		name: 'motion_video',
		description: 'The video to take the motion from',
		example: VIDEO,
		onlyIn: ['video'],
	},
	{
		displayName: 'Reference Images',
		name: 'reference_images',
		description: 'Images of what is to appear in the result',
		onlyIn: ['image', 'video'],
	},
	{
		displayName: 'Start Frame',
		name: 'start_frame',
		description: 'The image that the video begins with',
		onlyIn: ['video'],
	},
	{
		displayName: 'Video',
		name: 'video',
		description: 'The video to work on',
		example: VIDEO,
		onlyIn: ['video', 'audio'],
	},
	{
		displayName: 'Video References',
		name: 'video_refs',
		description: 'Videos that guide the result',
		example: VIDEO,
		onlyIn: ['video', 'audio'],
	},
];

/** What a model of this mode may work from. */
export const input = (mode: GenerationMode): Field => ({
	ui: {
		displayName: 'Input Media',
		name: 'input',
		type: 'collection',
		placeholder: 'Add input',
		default: {},
		description: 'Media that the model works from. Add only what the chosen model accepts.',
	},
	fields: SLOTS.filter(({ onlyIn }) => onlyIn?.includes(mode) ?? true).map(slot),
});
