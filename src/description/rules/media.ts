import { fieldName } from '../../transport/host/itemFiles';
import { BinaryReference } from '../../transport/item/binaryReference';
import { mediaUrlProblem } from '../../transport/host/urlRules';
import { isEmpty, LEFT_OUT, shown, type Rule, type RuleContext, type Ruled } from './rule';

const BINARY = 'binary:';

export interface MediaBounds {
	/** Most items. */
	max?: number;
	required?: boolean;
}

function parsedArray(text: string): unknown[] | undefined {
	if (!text.startsWith('[')) return undefined;
	try {
		const parsed: unknown = JSON.parse(text);
		return Array.isArray(parsed) ? parsed : undefined;
	} catch {
		return undefined;
	}
}

/** The entries of a media field: an array, or text with one a line (a JSON array as text, as an AI agent may write it). */
function entriesOf(value: unknown): unknown[] | undefined {
	if (Array.isArray(value)) return value;
	if (typeof value !== 'string') return undefined;
	return parsedArray(value.trim()) ?? value.split('\n');
}

/** The name of a binary field of the item, which is sent as a file. */
export const binaryField = (): Rule => (value, context) => {
	const name = typeof value === 'string' ? value.trim() : '';
	if (name !== '') return binaryReference(name.replace(BINARY, '').trim(), context);
	return {
		problem: isEmpty(value) || value === name ? 'is empty' : `must be text, got ${shown(value)}`,
	};
};

function binaryReference(given: string, { binaryFields }: RuleContext): Ruled {
	const name = binaryFields.includes(given) ? given : fieldName(given);
	if (binaryFields.includes(name)) return { value: new BinaryReference(name) };
	const there = binaryFields.length > 0 ? binaryFields.join(', ') : 'none';
	return {
		problem: `names the binary field "${shown(name)}", which the item does not have`,
		hint: `Binary fields of this item: ${there}`,
	};
}

function entry(value: unknown, context: RuleContext): Ruled {
	if (typeof value !== 'string')
		return { problem: `must be a URL or binary:<field>, got ${shown(value)}` };
	const text = value.trim();
	if (text === '') return LEFT_OUT;
	if (text.startsWith(BINARY)) return binaryReference(text.slice(BINARY.length).trim(), context);
	const problem = mediaUrlProblem(text, context.baseUrl);
	if (problem === undefined) return { value: text };
	return {
		problem: `${problem}: ${shown(text)}`,
		hint: 'Enter an https URL, or binary: followed by the name of a binary field of the item, which is then uploaded',
	};
}

/**
 * Media inputs, sent as an array: each a URL or `binary:<field>`.
 * Specification: Conventions, "media input URLs are HTTPS"; CreateGeneration, `input`.
 */
export const media =
	({ max, required }: MediaBounds = {}): Rule =>
	(value, context) => {
		const entries = isEmpty(value) ? [] : entriesOf(value);
		if (!entries) return { problem: `must be URLs or binary:<field>, got ${shown(value)}` };
		const given: unknown[] = [];
		for (const raw of entries) {
			const ruled = entry(raw, context);
			if ('problem' in ruled) return ruled;
			if (ruled.value !== undefined) given.push(ruled.value);
		}
		if (max !== undefined && given.length > max) {
			return { problem: `takes at most ${max} item${max === 1 ? '' : 's'}, got ${given.length}` };
		}
		if (given.length > 0) return { value: given };
		return required ? { problem: 'is empty' } : LEFT_OUT;
	};

/** A single media input, sent by itself instead of in an array. */
export const oneMedia =
	(presence: Pick<MediaBounds, 'required'> = {}): Rule =>
	(value, context) => {
		const ruled = media({ ...presence, max: 1 })(value, context);
		return 'value' in ruled && Array.isArray(ruled.value)
			? { value: ruled.value[0] as unknown }
			: ruled;
	};
