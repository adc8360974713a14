import { ENDPOINTS } from '../../../src/contract';
import { options } from '../../../src/description/fields/options';
import { downloadExisting, outputBinaryField } from '../../../src/description/fields/outputs';
import { inPath, type Operation } from '../../../src/description/operation';
import { id } from '../../../src/description/rules';

export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get the status and audio of a speech',
	description: 'Retrieve a speech, with a fresh link to its audio file',
	spec: { endpoint: ENDPOINTS.getSpeech, output: 'job', object: 'speech_generation' },
	fields: [
		{
			ui: {
				displayName: 'Speech ID',
				name: 'speechId',
				type: 'string',
				required: true,
				default: '',
				placeholder: 'e.g. speech_8f3a1c',
				description: 'The ID returned when the speech was created',
			},
			mapping: inPath('id', id()),
		},
		downloadExisting,
		options([outputBinaryField]),
	],
};
