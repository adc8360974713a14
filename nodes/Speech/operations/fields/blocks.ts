import { blockVoiceLocator } from '../../../../src/description/fields/locators';
import { oneValueInBody, type Field } from '../../../../src/description/operation';
import { blockForm, blockList } from './blockRules';

const blocksFrom: Field = {
	ui: {
		displayName: 'Blocks From',
		name: 'blocksFrom',
		type: 'options',
		noDataExpression: true,
		options: [
			{ name: 'Form', value: 'fields', description: 'Enter each block below' },
			{
				name: 'JSON',
				value: 'json',
				description: 'An array as text or from an expression, such as all incoming items',
			},
		],
		default: 'fields',
		description: 'Where the text to speak comes from',
	},
};

const form: Field = {
	ui: {
		displayName: 'Blocks',
		name: 'blocks',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Block', sortable: true },
		displayOptions: { show: { blocksFrom: ['fields'] } },
		placeholder: 'Add Block',
		default: { block: [{ text: '', voice: { __rl: true, mode: 'list', value: '' } }] },
		description: 'What is spoken, block after block: from 1 to 50, in one audio file',
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
	},
	mapping: oneValueInBody('blocks', blockForm()),
};

const json: Field = {
	ui: {
		displayName: 'Blocks (JSON)',
		name: 'blocksJson',
		type: 'json',
		typeOptions: { rows: 5 },
		displayOptions: { show: { blocksFrom: ['json'] } },
		required: true,
		default: '[\n  { "text": "Good morning!", "voice": "" }\n]',
		hint: 'For all incoming items as one speech, enter {{ $input.all().map((item) => item.json) }} and switch on Execute Once in the settings of the node',
		description:
			'From 1 to 50 blocks: an array of objects with text and, if wanted, voice, or an array of texts. Other fields are left out.',
	},
	mapping: oneValueInBody('blocks', blockList()),
};

/** Specification: CreateSpeechGeneration, `blocks`. */
export const blocks: Field[] = [blocksFrom, form, json];
