import type { INodeProperties } from 'n8n-workflow';
import { LIMITS, SINGLE_ITEM_SLOTS, type InputSlot } from '../../../../src/contract';
import { inBody, type Field } from '../../../../src/description/operation';
import { media } from '../../../../src/description/rules';

const SINGLE: readonly string[] = SINGLE_ITEM_SLOTS;

/** A slot takes URLs or names of binary fields. Specification: CreateGeneration, `input`. */
function slot(
	ui: Pick<INodeProperties, 'displayName' | 'description'> & { name: InputSlot },
): Field {
	const single = SINGLE.includes(ui.name);
	return {
		ui: {
			type: 'string',
			default: '',
			placeholder: 'e.g. https://example.com/picture.png or binary:data',
			hint: single
				? 'A URL, or binary: and the name of a binary field to upload'
				: 'URLs, one a line, or binary: and the name of a binary field to upload',
			...(!single && { typeOptions: { rows: 2 } }),
			...ui,
		},
		mapping: inBody(`input.${ui.name}`, media(single ? LIMITS.singleItemSlot : {})),
	};
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
			description: 'Audio that the result is guided by',
		}),
		slot({
			displayName: 'Character',
			name: 'character',
			description: 'The character that appears in the video',
		}),
		slot({
			displayName: 'End Frame',
			name: 'end_frame',
			description: 'The image that the video ends with',
		}),
		slot({
			displayName: 'Image References',
			name: 'image_refs',
			description: 'Images that the result is guided by',
		}),
		slot({
			displayName: 'Motion Video',
			name: 'motion_video',
			description: 'The video that the motion is taken from',
		}),
		slot({
			displayName: 'Reference Images',
			name: 'reference_images',
			description: 'Images of what is to appear in the result',
		}),
		slot({
			displayName: 'Start Frame',
			name: 'start_frame',
			description: 'The image that the video begins with',
		}),
		slot({
			displayName: 'Video',
			name: 'video',
			description: 'The video to work on',
		}),
		slot({
			displayName: 'Video References',
			name: 'video_refs',
			description: 'Videos that the result is guided by',
		}),
	],
};
