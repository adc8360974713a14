import { LIMITS } from '../../../../src/contract';
import {
	located,
	parsedJson,
	text,
	type Rule,
	type RuleContext,
	type Ruled,
} from '../../../../src/description/rules';

const { min, max } = LIMITS.speechBlocks;
const WANTED = `takes from ${min} to ${max} blocks`;

const textRule = text({ required: true });
const voiceRule = located(text());

const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** One block from an object or from its mere text. */
function block(entry: unknown, number: number, context: RuleContext): Ruled {
	const { text: words, voice } = isObject(entry) ? entry : { text: entry, voice: undefined };
	const said = textRule(words, context);
	if ('problem' in said) return { problem: `block ${number}: Text ${said.problem}` };
	const spoken = voiceRule(voice, context);
	if ('problem' in spoken) return { problem: `block ${number}: Voice ${spoken.problem}` };
	const chosen = spoken.value === undefined ? {} : { voice: spoken.value };
	return { value: { text: said.value, ...chosen } };
}

function blocksOf(entries: unknown[], context: RuleContext): Ruled {
	if (entries.length < min || entries.length > max) {
		return { problem: `${WANTED}, got ${entries.length}` };
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
	const entries = isObject(value) ? value.block : undefined;
	return blocksOf(Array.isArray(entries) ? entries : [], context);
};

/** The blocks of an array of objects or texts, itself or as JSON text. */
export const blockList = (): Rule => (value, context) => {
	const parsed = parsedJson(value);
	if (Array.isArray(parsed)) return blocksOf(parsed, context);
	return { problem: `must be an array of blocks as JSON; it ${WANTED}` };
};
