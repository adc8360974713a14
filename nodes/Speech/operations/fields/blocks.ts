import type { IDisplayOptions } from 'n8n-workflow';
import { blockVoiceLocator } from '../../../../src/description/fields/locators';
import { optionList } from '../../../../src/description/fields/optionList';
import { oneValueInBody, type Field } from '../../../../src/description/operation';
import { located, text as voiceText } from '../../../../src/description/rules';
import { blockForm, blockList, blockText, speakWith } from './blockRules';

/** Where the blocks come from. */
type BlocksFrom = 'fields' | 'json' | 'text';

const whenFrom = (source: BlocksFrom): IDisplayOptions => ({ show: { blocksFrom: [source] } });

const blocksFrom: Field = {
	ui: {
		displayName: 'Blocks From',
		name: 'blocksFrom',
		type: 'options',
		noDataExpression: true,
		options: optionList<BlocksFrom>({
			fields: { name: 'Form', description: 'Enter each block below' },
			json: {
				name: 'JSON',
				description: 'An array as text or from an expression, such as all incoming items',
			},
			text: { name: 'Text', description: 'One text that one voice speaks' },
		}),
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
		displayOptions: whenFrom('fields'),
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
		displayOptions: whenFrom('json'),
		required: true,
		default: '[\n  { "text": "Good morning!", "voice": "" }\n]',
		hint: 'For all incoming items as one speech, enter {{ $input.all().map((item) => item.json) }} and switch on Execute Once in the settings of the node',
		description:
			'From 1 to 50 blocks: an array of objects with text and, if wanted, voice, or an array of texts. Other fields are left out.',
	},
	mapping: oneValueInBody('blocks', blockList()),
};

const text: Field = {
	ui: {
		displayName: 'Text',
		name: 'text',
		type: 'string',
		typeOptions: { rows: 5 },
		displayOptions: whenFrom('text'),
		required: true,
		default: '',
		placeholder: 'e.g. Welcome back to the show.',
		description: 'What to say',
	},
	mapping: oneValueInBody('blocks', blockText()),
};

/** The voice of every block without one. */
const voice: Field = {
	ui: {
		...blockVoiceLocator,
		description:
			'Speaks everything that has no voice of its own: a preset voice of the chosen model, or a custom voice for the model that speaks with cloned voices. If it is empty, the service chooses one.',
	},
	mapping: { ...oneValueInBody('voice', located(voiceText())), apply: speakWith },
};

/** Specification: CreateSpeechGeneration, `blocks`. */
export const blocks: Field[] = [blocksFrom, form, json, text, voice];
