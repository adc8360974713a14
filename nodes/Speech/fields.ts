import type { IDisplayOptions } from 'n8n-workflow';
import { LIMITS } from '../../src/api';
import { collection, forOthers, optionList, type Field, inBody } from '../../src/fields/operation';
import { blockVoiceLocator } from '../../src/fields/locators';
import { choice, flag, number, type Rule } from '../../src/fields/rules';
import { BLOCK_LENGTH, blockForm, blockList, blockText, speakWith, voiceRule } from './blocks';

const { min, max } = LIMITS.speechBlocks;

type BlocksFrom = 'fields' | 'json' | 'text';

/** It is an option, because most texts are too short for it to matter. */
export const blockLength: Field = {
	displayName: 'Block Length (Characters)',
	name: 'blockLength',
	type: 'number',
	typeOptions: { minValue: 1 },
	displayOptions: { show: { '/blocksFrom': ['text' satisfies BlocksFrom] } },
	default: BLOCK_LENGTH,
	description: `The most characters in a block. A text is divided where a paragraph or a sentence ends; one file takes up to ${max} blocks. Without this option, longer texts have longer blocks, in one file.`,
	mapping: forOthers(number({ min: 1, integer: true })),
};

/** It is an option, because whoever joins files by another node does not need it. */
export const singleFile: Field = {
	displayName: 'Single File Only',
	name: 'singleFile',
	type: 'boolean',
	displayOptions: { show: { '/blocksFrom': ['text' satisfies BlocksFrom] } },
	default: true,
	description: `Whether to refuse a text that needs more than ${max} blocks, instead of making several files of it`,
	mapping: { ...forOthers(flag()), guardsMoney: true },
};

const whenFrom = (source: BlocksFrom): IDisplayOptions => ({ show: { blocksFrom: [source] } });

const blocksFrom: Field = {
	displayName: 'What to Speak',
	name: 'blocksFrom',
	type: 'options',
	noDataExpression: true,
	options: optionList<BlocksFrom>({
		text: { name: 'Text', description: 'One text of any length in one voice' },
		fields: { name: 'Blocks', description: 'Passages, each with a voice of its own if you like' },
		json: {
			name: 'Blocks as JSON',
			description: 'An array as text or from an expression, such as all incoming items',
		},
	}),
	default: 'text',
	description: 'One text, or blocks that may each have a voice',
	mapping: forOthers(choice(['fields', 'json', 'text'] satisfies BlocksFrom[], { required: true })),
};

const form: Field = {
	displayName: 'Blocks',
	name: 'blocks',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Block', sortable: true },
	displayOptions: whenFrom('fields'),
	placeholder: 'Add Block',
	default: { block: [{ text: '', voice: { __rl: true, mode: 'list', value: '' } }] },
	description: `What is spoken, block after block: from ${min} to ${max}, in one audio file`,
	options: [
		{
			displayName: 'Block',
			name: 'block',
			values: [
				{
					displayName: 'Text',
					name: 'text',
					type: 'string',
					typeOptions: { rows: 3 },
					default: '',
					placeholder: 'e.g. Welcome back to the show.',
					description: 'What this block says',
				},
				blockVoiceLocator,
			],
		},
	],
	mapping: inBody('blocks', blockForm),
};

const json: Field = {
	displayName: 'Blocks (JSON)',
	name: 'blocksJson',
	type: 'json',
	typeOptions: { rows: 5 },
	displayOptions: whenFrom('json'),
	required: true,
	default: '[\n  { "text": "Good morning!", "voice": "" }\n]',
	hint: 'For all incoming items as one speech, enter {{ $input.all().map((item) => item.json) }} and switch on Execute Once in the settings of the node',
	description: `From ${min} to ${max} blocks: an array of objects with text and, if wanted, voice, or an array of texts. Other fields are left out.`,
	mapping: inBody('blocks', blockList),
};

const textField: Field = {
	displayName: 'Text',
	name: 'text',
	type: 'string',
	typeOptions: { rows: 5 },
	displayOptions: whenFrom('text'),
	required: true,
	default: '',
	placeholder: 'e.g. Welcome back to the show.',
	description: 'What to say; a long text is divided at sentences',
	mapping: inBody('blocks', blockText),
};

const voice: Field = {
	...blockVoiceLocator,
	displayName: 'Voice',
	description: 'A preset or custom voice of the model; if empty, the service chooses',
	mapping: { ...inBody('voice', voiceRule), apply: speakWith },
};

/** Specification: CreateSpeechGeneration, `blocks`. */
export const blocks: Field[] = [blocksFrom, form, json, textField, voice];

const { speechSpeed: speed, speechVolume: volume } = LIMITS;

const set = (name: string, rule: Rule) => inBody(`settings.${name}`, rule);

const SETTINGS: Field[] = [
	{
		displayName: 'Loudness Normalization',
		name: 'loudness_normalization',
		type: 'boolean',
		default: true,
		description: 'Whether to bring all blocks to the same loudness',
		mapping: set('loudness_normalization', flag()),
	},
	{
		displayName: 'Speed',
		name: 'speed',
		type: 'number',
		typeOptions: { minValue: speed.min, maxValue: speed.max, numberPrecision: 2 },
		default: 1,
		description: `How fast to speak, from ${speed.min} to ${speed.max}; ${speed.default} is normal`,
		mapping: set('speed', number(speed)),
	},
	{
		displayName: 'Tag Compatible',
		name: 'tag_compatible',
		type: 'boolean',
		default: true,
		description: 'Whether tags in the text are instructions, if the model supports them',
		mapping: set('tag_compatible', flag()),
	},
	{
		displayName: 'Text Normalization',
		name: 'text_normalization',
		type: 'boolean',
		default: true,
		description: 'Whether to write out numbers, dates and abbreviations before they are spoken',
		mapping: set('text_normalization', flag()),
	},
	{
		displayName: 'Volume',
		name: 'volume',
		type: 'number',
		typeOptions: { minValue: volume.min, maxValue: volume.max, numberPrecision: 2 },
		default: 1,
		description: `How loud to speak, from ${volume.min} to ${volume.max}; ${volume.default} is normal`,
		mapping: set('volume', number(volume)),
	},
];

/** Specification: CreateSpeechGeneration, `settings`. */
export const settings = collection(
	{
		displayName: 'Settings',
		name: 'settings',
		placeholder: 'Add setting',
		description: 'How to speak',
	},
	SETTINGS,
);
