import { ENDPOINTS } from '../../src/api';
import { creationFields, creditOptions, delivery } from '../../src/fields/commonFields';
import { ofItemBefore, speechModelField } from '../../src/fields/locators';
import { inPath, options, type Operation } from '../../src/fields/operation';
import { id } from '../../src/fields/rules';
import { downloadExisting, outputBinaryField } from '../../src/fields/settings';
import { inParts } from './blocks';
import { blockLength, blocks, settings, singleFile } from './fields';

const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Generate speech from text',
	description:
		'Speak a text or a dialogue in one audio file. The cost depends on the length; by default retries never pay twice.',
	spec: {
		endpoint: ENDPOINTS.createSpeech,
		output: 'job',
		object: 'speech_generation',
		creates: true,
		charges: true,
	},
	split: inParts,
	fields: [
		speechModelField,
		...blocks,
		settings,
		...creationFields([blockLength, delivery, singleFile, ...creditOptions]),
	],
};

const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get the status and audio of a speech',
	description: 'Read a speech with a fresh link, and download its file if you like. Costs nothing.',
	spec: { endpoint: ENDPOINTS.getSpeech, output: 'job', object: 'speech_generation' },
	fields: [
		...ofItemBefore({
			displayName: 'Speech ID',
			name: 'speechId',
			type: 'string',
			required: true,
			default: '={{ $json.id }}',
			placeholder: 'e.g. speech_8f3a1c',
			description: 'The ID of the speech, as Create outputs it',
			mapping: inPath('id', id()),
		}),
		downloadExisting,
		options([outputBinaryField]),
	],
};

export const operations: Operation[] = [create, get];
