import type { IDisplayOptions } from 'n8n-workflow';
import { isRecord, LIMITS, type Json } from '../../src/api';
import { collection, forOthers, optionList, type Field, inBody } from '../../src/fields/operation';
import { blockVoiceLocator } from '../../src/fields/locators';
import {
	ABSENT,
	choice,
	flag,
	located,
	name,
	number,
	parsedJson,
	prose,
	type Rule,
	type RuleContext,
	type Ruled,
	whenThere,
} from '../../src/fields/rules';
import { quoted } from '../../src/base/texts';
import type { ApiRequest } from '../../src/base/types';
import { unboxed } from '../../src/base/values';
import { splitText, type Split } from './splitText';

const { min, max } = LIMITS.speechBlocks;
const BLOCK_COUNT = `takes from ${min} to ${max} blocks`;

const textRule = prose({ required: true });
const voiceRule = located(name());

/**
 * The text and the voice of an entry. It may be an object, an item of n8n with that object in its `json`, or
 * plain text.
 */
function partsOf(given: unknown): Json {
	const entry = unboxed(given);
	if (!isRecord(entry)) return { text: entry };
	return isRecord(entry.json) && entry.text === undefined ? entry.json : entry;
}

/** One block, from an object or from plain text. */
function block(entry: unknown, number: number, context: RuleContext): Ruled {
	const parts = partsOf(entry);
	const text = parts.text;
	// JSON often has `null` for a value that is not there.
	const isThere = Object.hasOwn(parts, 'voice') && parts.voice !== null;
	const voice = isThere ? parts.voice : ABSENT;
	const said = textRule(text, context);
	if ('problem' in said) return { problem: `block ${number}: Text ${said.problem}` };
	const chosen = voiceRule(voice, context);
	if ('problem' in chosen) return { problem: `block ${number}: Voice ${chosen.problem}` };
	const { value } = chosen;
	return { value: value === undefined ? { text: said.value } : { text: said.value, voice: value } };
}

function blocksOf(entries: unknown[], context: RuleContext): Ruled {
	if (entries.length < min || entries.length > max) {
		return { problem: `${BLOCK_COUNT}, got ${entries.length}` };
	}
	const blocks: unknown[] = [];
	for (const [index, entry] of entries.entries()) {
		const ruled = block(entry, index + 1, context);
		if ('problem' in ruled) return ruled;
		blocks.push(ruled.value);
	}
	return { value: blocks };
}

const blockForm: Rule = (value, context) => {
	const entries = isRecord(value) ? value.block : undefined;
	return blocksOf(Array.isArray(entries) ? entries : [], context);
};

/** The blocks in what JSON says: a list, `{ "blocks": […] }`, or a single block. */
function blockEntries(json: unknown): unknown[] | undefined {
	if (Array.isArray(json)) return json;
	if (!isRecord(json)) return undefined;
	if (Array.isArray(json.blocks)) return json.blocks;
	return 'text' in partsOf(json) ? [json] : undefined;
}

const blockList: Rule = whenThere({ required: true }, (value, context) => {
	const entries = blockEntries(typeof value === 'string' ? parsedJson(value) : value);
	if (entries) return blocksOf(entries, context);
	return { problem: `must be a list of blocks; it ${BLOCK_COUNT}, got ${quoted(value)}` };
});

/** Characters of a block of a text, unless the user sets another length or one file needs longer ones. */
const BLOCK_LENGTH = 1_000;

/** By this factor the blocks become longer with each attempt, until the text fits into one file. */
const GROWTH = 1.25;

/**
 * A text in as few files as there can be: where the user has set no length, blocks are as long as one file
 * needs.
 */
function splitInFiles(text: string, length: number | undefined): Split {
	if (length !== undefined) return splitText(text, length, max);
	let longest = Math.max(BLOCK_LENGTH, Math.ceil(text.length / max));
	let found = splitText(text, longest, max);
	// This ends, because one block of the length of the text holds all of it.
	while ('problem' in found || found.blocks.length > max) {
		if (longest > text.length) break;
		longest = Math.ceil(longest * GROWTH);
		found = splitText(text, longest, max);
	}
	return found;
}

const blockText: Rule = (value, context) => {
	const said = textRule(value, context);
	if ('problem' in said) return said;
	const length = context.other?.('options.blockLength') as number | undefined;
	const found = splitInFiles(String(said.value), length);
	if ('problem' in found)
		return { ...found, hint: 'Raise Block Length, or end the element earlier' };
	const { blocks } = found;
	const isOneFile = context.other?.('options.singleFile') ?? false;
	if (blocks.length <= max || !isOneFile) return { value: blocks.map((text) => ({ text })) };
	return {
		problem: `makes ${blocks.length} blocks of up to ${length} characters, and one file takes ${max}`,
		hint: 'Raise Block Length, or remove Single File Only from the options',
	};
};

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

/** The requests for a text of more blocks than one request takes. Specification: Limits, Speech blocks. */
export function inParts(request: ApiRequest): ApiRequest[] {
	const { blocks } = request.body as { blocks: unknown };
	// _Additional JSON_ may have replaced the blocks by anything.
	if (!Array.isArray(blocks) || blocks.length === 0) return [request];
	const parts: ApiRequest[] = [];
	for (let at = 0; at < blocks.length; at += max) {
		const body = { ...(request.body as object), blocks: blocks.slice(at, at + max) };
		parts.push({ ...request, body });
	}
	return parts;
}

/** Gives a voice to each block without one. */
function speakWith(body: Json, voice: unknown): void {
	const blocks = (body.blocks ?? []) as Json[];
	body.blocks = blocks.map((one) => (one.voice === undefined ? { ...one, voice } : one));
}

type BlocksFrom = 'fields' | 'json' | 'text';

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
	mapping: { ...inBody('voice', located(name())), apply: speakWith },
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
