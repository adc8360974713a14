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
	/** The modes that the specification names for it; default: all. */
	onlyIn?: readonly GenerationMode[];
}

const SINGLE: readonly string[] = SINGLE_ITEM_SLOTS;

const VIDEO = 'https://example.com/clip.mp4';

/** A slot takes URLs or binary fields. Specification: CreateGeneration, `input`. */
function slot({ onlyIn, ...ui }: Slot): Field {
	const isSingle = SINGLE.includes(ui.name);
	const rule = media(isSingle ? LIMITS.singleItemSlot : {});
	const field = mediaField({ ...ui, as: `input.${ui.name}`, rule, isMany: !isSingle });
	return onlyIn ? { ...field, onlyIn } : field;
}

export const input: Field = {
	ui: {
		displayName: 'Input Media',
		name: 'input',
		type: 'collection',
		placeholder: 'Add input',
		default: {},
		description: 'Media that the model works from. Add only what the chosen model accepts.',
	},
	fields: [
		slot({
			displayName: 'Audio References',
			name: 'audio_refs',
			description: 'Audio that guides the result',
			example: 'https://example.com/sound.mp3',
			onlyIn: ['video', 'audio'],
		}),
		slot({
			displayName: 'Character',
			name: 'character',
			description: 'The character that appears in the result',
			onlyIn: ['image', 'video'],
		}),
		slot({
			displayName: 'End Frame',
			name: 'end_frame',
			description: 'The image that the video ends with',
			onlyIn: ['video'],
		}),
		slot({
			displayName: 'Image References',
			name: 'image_refs',
			description: 'Images that guide the result',
		}),
		slot({
			displayName: 'Motion Video',
			name: 'motion_video',
			description: 'The video to take the motion from',
			example: VIDEO,
			onlyIn: ['video'],
		}),
		slot({
			displayName: 'Reference Images',
			name: 'reference_images',
			description: 'Images of what is to appear in the result',
			onlyIn: ['image', 'video'],
		}),
		slot({
			displayName: 'Start Frame',
			name: 'start_frame',
			description: 'The image that the video begins with',
			onlyIn: ['video'],
		}),
		slot({
			displayName: 'Video',
			name: 'video',
			description: 'The video to work on',
			example: VIDEO,
			onlyIn: ['video', 'audio'],
		}),
		slot({
			displayName: 'Video References',
			name: 'video_refs',
			description: 'Videos that guide the result',
			example: VIDEO,
			onlyIn: ['video', 'audio'],
		}),
	],
};
