import { fieldName } from '../../items/nodeInput';
import { BinaryReference } from '../../transport/run/binaryReference';
import { mediaUrlProblem } from '../../transport/http/urlRules';
import { parsedJson } from './json';
import {
	isEmpty,
	isLocator,
	LEFT_OUT,
	preview,
	type Presence,
	type Rule,
	type RuleContext,
	type Ruled,
} from './rule';

const BINARY = 'binary:';

/** What a media field takes: no `max`, no limit of our own. */
export interface MediaBounds extends Presence {
	/** Most items. */
	max?: number;
}

/** Between the URLs on the one line of a locator, where the editor has joined lines too. */
const BETWEEN_URLS = /\n|[\s,]+(?=https?:\/\/|binary:)|(?<=[^\s,/=?&#:])(?=https?:\/\/)/;

/** The entries of an array, of one as JSON text (as an AI agent may write it), or of a text. */
function entriesOf(value: unknown, separator: RegExp | string): unknown[] | undefined {
	if (isEmpty(value)) return [];
	if (typeof value !== 'string') return Array.isArray(value) ? value : undefined;
	const parsed = value.trim().startsWith('[') ? parsedJson(value) : undefined;
	return Array.isArray(parsed) ? parsed : value.split(separator);
}

/** Names by the mode *Binary*. Nothing entered is a mistake: a file was meant to be sent. */
function namesIn(value: unknown): unknown[] | undefined {
	const names = entriesOf(value, /[\n,]/)?.filter((name) => name !== '');
	if (names?.length === 0) return [BINARY];
	// Somebody may have left the mode as it was and entered a URL, as an AI agent does.
	return names?.map((name) =>
		typeof name === 'string' && !/^\s*https?:/.test(name)
			? `${BINARY}${name.replace(BINARY, '')}`
			: name,
	);
}

/** What a field holds: a locator, or text or an array, as an expression or an agent gives them. */
function entriesIn(value: unknown): unknown[] | undefined {
	if (!isLocator(value)) return entriesOf(value, '\n');
	return value.mode === 'binary' ? namesIn(value.value) : entriesOf(value.value, BETWEEN_URLS);
}

/** The name of a binary field of the item, which is sent as a file. */
export const binaryField = (): Rule => (value, context) => {
	const name = typeof value === 'string' ? value.trim() : '';
	if (name !== '') return binaryReference(name.replace(BINARY, '').trim(), context);
	return {
		problem: isEmpty(value) || value === name ? 'is empty' : `must be text, got ${preview(value)}`,
	};
};

function binaryReference(given: string, { binaryFields }: RuleContext): Ruled {
	const name = binaryFields.includes(given) ? given : fieldName(given);
	if (binaryFields.includes(name)) return { value: new BinaryReference(name) };
	const there = binaryFields.length > 0 ? binaryFields.join(', ') : 'none';
	return {
		problem: `names the binary field "${preview(name)}", which the item does not have`,
		hint: `Binary fields of this item: ${there}`,
	};
}

function entry(value: unknown, context: RuleContext): Ruled {
	if (typeof value !== 'string')
		return { problem: `must be a URL or binary:<field>, got ${preview(value)}` };
	const text = value.trim();
	if (text === '') return LEFT_OUT;
	if (text.startsWith(BINARY)) return binaryReference(text.slice(BINARY.length).trim(), context);
	const problem = mediaUrlProblem(text, context.baseUrl);
	if (problem === undefined) return { value: text };
	return {
		problem: `${problem}: ${preview(text)}`,
		hint: 'Enter an https URL, or choose Binary and enter the name of a binary field of the item, which is then uploaded',
	};
}

/**
 * Media inputs, sent as an array: each a URL or `binary:<field>`.
 * Specification: Conventions, "media input URLs are HTTPS"; CreateGeneration, `input`.
 */
export const media =
	({ max, required }: MediaBounds = {}): Rule =>
	(value, context) => {
		const entries = entriesIn(value);
		if (!entries) return { problem: `must be URLs or binary:<field>, got ${preview(value)}` };
		const items: unknown[] = [];
		for (const raw of entries) {
			const ruled = entry(raw, context);
			if ('problem' in ruled) return ruled;
			if (ruled.value !== undefined) items.push(ruled.value);
		}
		if (max !== undefined && items.length > max) {
			return { problem: `takes at most ${max} item${max === 1 ? '' : 's'}, got ${items.length}` };
		}
		if (items.length > 0) return { value: items };
		return required ? { problem: 'is empty' } : LEFT_OUT;
	};

/** A single media input, sent by itself instead of in an array. */
export const oneMedia =
	(presence: Presence = {}): Rule =>
	(value, context) => {
		const ruled = media({ ...presence, max: 1 })(value, context);
		return 'value' in ruled && Array.isArray(ruled.value)
			? { value: ruled.value[0] as unknown }
			: ruled;
	};
