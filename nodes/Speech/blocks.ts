import { isRecord, LIMITS, type Json } from '../../src/api';
import {
	ABSENT,
	located,
	name,
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

/*
 * The blocks of a speech: how they are read from each of the three sources, a form, JSON and a text, and the
 * requests for more of them than one takes.
 */

const { min, max } = LIMITS.speechBlocks;
const BLOCK_COUNT = `takes from ${min} to ${max} blocks`;

const textRule = prose({ required: true });
export const voiceRule = located(name());

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

export const blockForm: Rule = (value, context) => {
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

export const blockList: Rule = whenThere({ required: true }, (value, context) => {
	const entries = blockEntries(typeof value === 'string' ? parsedJson(value) : value);
	if (entries) return blocksOf(entries, context);
	return { problem: `must be a list of blocks; it ${BLOCK_COUNT}, got ${quoted(value)}` };
});

/** Characters of a block of a text, unless the user sets another length or one file needs longer ones. */
export const BLOCK_LENGTH = 1_000;

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

export const blockText: Rule = (value, context) => {
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
export function speakWith(body: Json, voice: unknown): void {
	const blocks = (body.blocks ?? []) as Json[];
	body.blocks = blocks.map((one) => (one.voice === undefined ? { ...one, voice } : one));
}
