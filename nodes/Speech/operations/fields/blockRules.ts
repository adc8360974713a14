import { isRecord, LIMITS } from '../../../../src/contract';
import {
	located,
	parsedJson,
	text,
	type Rule,
	type RuleContext,
	type Ruled,
} from '../../../../src/description/rules';

const { min, max } = LIMITS.speechBlocks;
const BLOCK_COUNT = `takes from ${min} to ${max} blocks`;

const textRule = text({ required: true });
const voiceRule = located(text());

/** One block, from an object or from plain text. */
function block(entry: unknown, number: number, context: RuleContext): Ruled {
	const { text: words, voice } = isRecord(entry) ? entry : { text: entry, voice: undefined };
	const textResult = textRule(words, context);
	if ('problem' in textResult) return { problem: `block ${number}: Text ${textResult.problem}` };
	const voiceResult = voiceRule(voice, context);
	if ('problem' in voiceResult) return { problem: `block ${number}: Voice ${voiceResult.problem}` };
	const chosen = voiceResult.value === undefined ? {} : { voice: voiceResult.value };
	return { value: { text: textResult.value, ...chosen } };
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

/** The blocks of the form. */
export const blockForm = (): Rule => (value, context) => {
	const entries = isRecord(value) ? value.block : undefined;
	return blocksOf(Array.isArray(entries) ? entries : [], context);
};

/** The blocks of an array of objects or texts; also as JSON text. */
export const blockList = (): Rule => (value, context) => {
	const parsed = parsedJson(value);
	if (Array.isArray(parsed)) return blocksOf(parsed, context);
	return { problem: `must be an array of blocks as JSON; it ${BLOCK_COUNT}` };
};

/** One block of a text. */
export const blockText = (): Rule => (value, context) => {
	const said = textRule(value, context);
	return 'problem' in said ? said : { value: [{ text: said.value }] };
};

/** Gives a voice to each block without one. */
export function speakWith(body: Record<string, unknown>, voice: unknown): void {
	const blocks = (body.blocks ?? []) as Array<Record<string, unknown>>;
	body.blocks = blocks.map((one) => (one.voice === undefined ? { ...one, voice } : one));
}
