import { LIMITS } from '../../../../src/contract';
import { keyOptions } from '../../../../src/description/fields/keys';
import { mediaField } from '../../../../src/description/fields/mediaLocator';
import { additionalFields } from '../../../../src/description/fields/options';
import { inBody, type Operation } from '../../../../src/description/operation';
import { flag, oneMedia, text } from '../../../../src/description/rules';
import { CREATION, nameField, previewText } from './shared';

export const clone: Operation = {
	value: 'clone',
	name: 'Clone',
	action: 'Clone a voice from a recording',
	description: 'Create a voice from a recording of someone speaking',
	constants: { kind: 'clone' },
	spec: CREATION,
	fields: [
		nameField(LIMITS.voiceCloneName),
		mediaField({
			displayName: 'Recording',
			name: 'audioUrl',
			required: true,
			example: 'https://example.com/voice.mp3',
			description: 'A recording of the voice. Use only voices that you may use.',
			as: 'audio_url',
			rule: oneMedia({ required: true }),
		}),
		additionalFields([
			{
				ui: {
					displayName: 'Noise Reduction',
					name: 'noiseReduction',
					type: 'boolean',
					default: false,
					description: 'Whether to remove noise from the recording first',
				},
				mapping: inBody('noise_reduction', flag()),
			},
			previewText(text(LIMITS.voiceClonePreviewText), 'at most 500 characters'),
			{
				ui: {
					displayName: 'Volume Normalization',
					name: 'volumeNormalization',
					type: 'boolean',
					default: false,
					description: 'Whether to bring the recording to an even volume first',
				},
				mapping: inBody('volume_normalization', flag()),
			},
		]),
		keyOptions,
	],
};
