import { ENDPOINTS, LIMITS } from '../../../../src/contract';
import { keyOptions } from '../../../../src/description/fields/keys';
import { additionalFields } from '../../../../src/description/fields/options';
import { inBody, type Operation } from '../../../../src/description/operation';
import { flag, oneMedia, text } from '../../../../src/description/rules';
import { ANSWER_TIMEOUT_MS, nameField, previewText } from './shared';

export const clone: Operation = {
	value: 'clone',
	name: 'Clone',
	action: 'Clone a voice from a recording',
	description: 'Make a voice from a recording of someone speaking',
	constants: { kind: 'clone' },
	spec: {
		endpoint: ENDPOINTS.createVoice,
		output: 'resource',
		object: 'voice',
		responseTimeoutMs: ANSWER_TIMEOUT_MS,
	},
	fields: [
		nameField(LIMITS.voiceCloneName),
		{
			ui: {
				displayName: 'Recording',
				name: 'audioUrl',
				type: 'string',
				required: true,
				default: '',
				placeholder: 'e.g. https://example.com/voice.mp3 or binary:data',
				hint: 'A URL, or binary: and the name of a binary field to upload',
				description: 'A recording of the voice. Use only voices that you may use.',
			},
			mapping: inBody('audio_url', oneMedia({ required: true })),
		},
		additionalFields([
			{
				ui: {
					displayName: 'Noise Reduction',
					name: 'noiseReduction',
					type: 'boolean',
					default: false,
					description: 'Whether to take noise out of the recording first',
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
