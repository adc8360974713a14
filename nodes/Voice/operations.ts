import { ENDPOINTS, LIMITS, SPEECH_MODELS, type Json } from '../../src/api';
import { paidKeyOptions, previewOfExisting, previewOptions } from '../../src/fields/commonFields';
import {
	additionalFields,
	asSetting,
	collection,
	deleteOperation,
	type Field,
	getManyOperation,
	getOperation,
	inBody,
	inQuery,
	listFields,
	type Operation,
	options,
	simplify,
} from '../../src/fields/operation';
import { ofItemBefore, mediaField, thisVoice, toDelete } from '../../src/fields/locators';
import type { NodeResource } from '../../src/n8n/properties';
import { choice, flag, name, oneMedia, prose, type Rule } from '../../src/fields/rules';
import { nameFromId } from '../../src/base/texts';
import type { OperationSpec } from '../../src/creation/operationSpec';

/** The service may take long to answer. Specification: Operation details, Idempotency-Key. */
const CREATION: OperationSpec = {
	endpoint: ENDPOINTS.createVoice,
	output: 'resource',
	object: 'voice',
	creates: true,
	charges: true,
	responseTimeoutMs: 300_000,
};

/** @param max the most characters, if the specification shows a limit */
const nameField = ({ max }: { max?: number } = {}): Field => ({
	displayName: 'Name',
	name: 'name',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. Narrator',
	description: `The name of the voice${max === undefined ? '' : `, at most ${max} characters`}`,
	mapping: inBody('name', name({ required: true, max })),
});

const previewText = (rule: Rule, limit?: string): Field => ({
	displayName: 'Preview Text',
	name: 'previewText',
	type: 'string',
	typeOptions: { rows: 2 },
	default: '',
	placeholder: 'e.g. This is how I sound.',
	description: `What the voice says in its preview${limit === undefined ? '' : `, ${limit}`}`,
	mapping: inBody('preview_text', rule),
});

const clone: Operation = {
	value: 'clone',
	name: 'Clone',
	action: 'Clone a voice from a recording',
	description:
		'Make a voice from a recording. Costs the current quote; by default retries never pay twice.',
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
				displayName: 'Noise Reduction',
				name: 'noiseReduction',
				type: 'boolean',
				default: true,
				description: 'Whether to remove noise from the recording first',
				mapping: inBody('noise_reduction', flag()),
			},
			previewText(
				prose(LIMITS.voiceClonePreviewText),
				`at most ${LIMITS.voiceClonePreviewText.max} characters`,
			),
			{
				displayName: 'Volume Normalization',
				name: 'volumeNormalization',
				type: 'boolean',
				default: true,
				description: 'Whether to bring the recording to an even volume first',
				mapping: inBody('volume_normalization', flag()),
			},
		]),
		options([...paidKeyOptions, ...previewOptions]),
	],
};

const design: Operation = {
	value: 'design',
	name: 'Design',
	action: 'Design a voice from a description',
	description:
		'Make a voice from a description. Costs the current quote; by default retries never pay twice.',
	constants: { kind: 'design' },
	spec: CREATION,
	fields: [
		nameField(),
		{
			displayName: 'Description',
			name: 'description',
			type: 'string',
			typeOptions: { rows: 3 },
			required: true,
			default: '',
			placeholder: 'e.g. A calm, deep voice of an elderly storyteller',
			description: 'How the voice should sound',
			mapping: inBody('description', prose({ required: true })),
		},
		additionalFields([previewText(prose())]),
		options([...paidKeyOptions, ...previewOptions]),
	],
};

const get = getOperation('a custom voice', ENDPOINTS.getVoice, [
	...ofItemBefore(thisVoice),
	...previewOfExisting,
]);

const getAll = getManyOperation('custom voices', ENDPOINTS.listVoices);

const rename: Operation = {
	value: 'rename',
	name: 'Rename',
	action: 'Rename a custom voice',
	description: 'Give a custom voice another name. Costs nothing.',
	spec: { endpoint: ENDPOINTS.renameVoice, output: 'resource' },
	fields: [...ofItemBefore(thisVoice), nameField()],
};

const deleteVoice = deleteOperation('a custom voice', ENDPOINTS.deleteVoice, [toDelete(thisVoice)]);

const speechModel: Field = {
	displayName: 'Model',
	name: 'model',
	type: 'options',
	options: SPEECH_MODELS.map((value) => ({ name: nameFromId(value), value, description: value })),
	default: 'service/speech-lite',
	description: 'The speech model whose voices to list',
	mapping: inQuery('model', choice(SPEECH_MODELS)),
};

const filters = collection({ displayName: 'Filters', name: 'filters', placeholder: 'Add filter' }, [
	{
		displayName: 'Gender',
		name: 'gender',
		type: 'string',
		default: '',
		placeholder: 'e.g. female',
		description: 'Only voices of this gender, in the words of the catalogue',
		mapping: inQuery('gender', name()),
	},
	{
		displayName: 'Language',
		name: 'language',
		type: 'string',
		default: '',
		placeholder: 'e.g. en-US',
		description: 'Only voices of this locale or base language, such as en-US or en',
		mapping: inQuery('language', name()),
	},
	{
		displayName: 'Search',
		name: 'search',
		type: 'string',
		default: '',
		placeholder: 'e.g. aria',
		description: 'Only voices whose ID or name contains this text',
		mapping: inQuery('search', name()),
	},
]);

const VOICE_FIELDS = [
	'id',
	'label',
	'gender',
	'language_code',
	'language_name',
	'sample_url',
	'warning',
];

/**
 * A preset voice with the fields by which people choose one, and the note about its sample. Specification:
 * PresetVoice.
 */
export const simpleVoice = (voice: Json): Json =>
	Object.fromEntries(Object.entries(voice).filter(([name]) => VOICE_FIELDS.includes(name)));

const downloadSamples: Field = {
	displayName: 'Download Samples',
	name: 'downloadSamples',
	type: 'boolean',
	default: false,
	description:
		'Whether to download the sample of each voice into the binary field "data", to hear it in the panel',
	mapping: asSetting('downloadOutputs', flag()),
};

const getAllPresets: Operation = {
	...getManyOperation('preset voices', ENDPOINTS.listPresetVoices),
	description: 'List the preset voices of a speech model. Costs nothing.',
	spec: { endpoint: ENDPOINTS.listPresetVoices, output: 'list', simplify: simpleVoice },
	fields: [speechModel, ...listFields, downloadSamples, filters, simplify],
};

export const resources: NodeResource[] = [
	{
		value: 'customVoice',
		name: 'Custom Voice',
		operations: [clone, deleteVoice, design, get, getAll, rename],
	},
	{ value: 'presetVoice', name: 'Preset Voice', operations: [getAllPresets] },
];
