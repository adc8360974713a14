import type { StoredFile } from '../../transport/host';
import { isBlank, quoted, trimmed } from '../../base/texts';
import { isRecord, type Json } from '../../base/types';
import { isSecure, urlIn } from '../../base/urls';
import { BinaryReference } from '../../files/localFile';
import { parsedJson } from './json';
import { textIn } from './text';
import {
	EMPTY,
	isEmptyText,
	LEFT_OUT,
	type Presence,
	type Rule,
	type RuleContext,
	type Ruled,
	unlocated,
	whenThere,
} from './rule';

/**
 * The field in the json of an item that contains its files, in workflows with `binaryMode: combined`
 * (Execution Logic v2).
 */
export const FILES_KEY = '_files';

/**
 * The name of the binary field that the user means. `_files.data`, which n8n's own nodes ask for in such
 * workflows, is `data`.
 */
const fieldName = (name: string): string =>
	name.startsWith(`${FILES_KEY}.`) ? name.slice(FILES_KEY.length + 1) : name;

const BINARY = 'binary:';

/** What a media field takes. Without `max` there is no limit of our own. */
export interface MediaBounds extends Presence {
	/** The most items. */
	max?: number;
}

/**
 * Where another URL or file begins on a line: after a blank or another sign, or directly after the one before
 * it, because the editor joins the lines of a locator. A URL that is part of another one follows a slash or
 * is in its query.
 */
const NEXT_MEDIUM =
	/(?=https?:\/\/)(?<![/=?&#:]["'`<“„«([{]*)|(?=binary:)(?<=[\s,;|，、；｜]["'`<“„«([{]*)/i;

/** What may stand between two media or around one: blanks, signs, quotes and brackets of any script. */
const BETWEEN = new Set([
	...',;|"\'`“”„‘’«»‹›<>()[]{}',
	// A sign at the end of a sentence.
	...'.…',
	...'，、；：。．｜「」『』（）【】［］《》〈〉',
]);

const isBetween = (character = ' '): boolean => isBlank(character) || BETWEEN.has(character);

const BRACKETS = [
	'()',
	'[]',
	'{}',
	'「」',
	'『』',
	'（）',
	'【】',
	'［］',
	'《》',
	'〈〉',
] as const;

/** How often a character occurs in a text. */
const countOf = (text: string, character: string): number => text.split(character).length - 1;

/**
 * A URL without what separates it from the ones before and after it. A closing bracket belongs to the URL if
 * the bracket was opened in it: `(https://example.org/Mercury_(planet))`.
 */
function withoutSigns(text: string): string {
	let start = 0;
	while (start < text.length && isBetween(text[start])) start += 1;
	let end = text.length;
	const inner = text.slice(start);
	// By closing bracket: how many more are closed than opened in the rest of the text.
	const surplus = new Map<string, number>();
	for (const [opener = '', closer = ''] of BRACKETS)
		surplus.set(closer, countOf(inner, closer) - countOf(inner, opener));
	for (; end > start && isBetween(text[end - 1]); end -= 1) {
		const last = text[end - 1] ?? '';
		const pair = BRACKETS.find((each) => each.includes(last));
		if (pair === undefined) continue;
		const [, closer = ''] = pair;
		const count = surplus.get(closer) ?? 0;
		if (last === closer && count <= 0) break;
		surplus.set(closer, last === closer ? count - 1 : count + 1);
	}
	return text.slice(start, end);
}

const BETWEEN_NAMES = /[\n,]/;

const NO_NAME: Ruled = {
	problem: 'names no binary field, though a file was meant to be sent',
	hint: 'Enter the name of a binary field of the item, or remove the field',
};

/** Whether a file of the item has exactly this name, whatever else the text could mean. */
const isFileName = (text: string, { files }: RuleContext): boolean => Object.hasOwn(files, text);

function byName(given: string, { files }: RuleContext): Ruled {
	const wanted = trimmed(given);
	const known = [given, wanted, withoutSigns(wanted)].find((each) => Object.hasOwn(files, each));
	const name = known ?? fieldName(wanted);
	if (Object.hasOwn(files, name)) return { value: new BinaryReference(name) };
	const there = Object.keys(files).join(', ') || 'none';
	return {
		problem: `names the binary field ${quoted(name)}, which the item does not have`,
		hint: `Binary fields of this item: ${there}`,
	};
}

/**
 * The address of a media input in a text, or what is wrong with it.
 * Specification: Conventions, "media input URLs are HTTPS".
 */
export function mediaUrlIn(
	text: string,
	baseUrl: string,
): { url: string; problem?: undefined } | { url?: undefined; problem: string } {
	const url = urlIn(text);
	if (!url) return { problem: 'is not a URL' };
	return isSecure(url, baseUrl) ? { url: url.href } : { problem: 'must begin with https://' };
}

function byUrl(given: string, { baseUrl }: RuleContext): Ruled {
	const { url, problem } = mediaUrlIn(given, baseUrl);
	if (url !== undefined) return { value: url };
	return {
		problem: `${problem}: ${quoted(given)}`,
		hint: 'Enter an https URL, or choose Binary and enter the name of a binary field of the item, which is then uploaded',
	};
}

/**
 * Whether an object is a file as `{{ $binary.data }}` gives it. The content is missing if n8n keeps files in
 * memory.
 */
const isBinary = (value: Json): boolean =>
	'mimeType' in value && ('id' in value || 'data' in value || 'fileExtension' in value);

/**
 * A file as `{{ $binary.data }}` gives it. A file of the item is sent by the name of its field. Any other
 * must be a file of another node.
 */
function byFile(given: Json, { files, findFile }: RuleContext): Ruled {
	const isSame = (other: StoredFile) =>
		Object.entries(given).every(([name, value]) => other[name] === value);
	const [own, another] = Object.entries(files).filter(([, other]) => isSame(other));
	if (own && !another) return { value: new BinaryReference(own[0]) };
	const found = another ? undefined : findFile?.(given);
	if (found && !Object.hasOwn(files, found.name))
		return { value: new BinaryReference(found.name, found.file) };
	return {
		problem: `is the file ${quoted(given.fileName ?? given.mimeType)}, which is not one file of this item or of a node before it`,
		hint: 'Enter the name of a binary field of the item, or an expression that leads to a file of another node',
	};
}

function ofObject(value: Json, context: RuleContext): Ruled {
	if (isBinary(value)) return byFile(value, context);
	if (typeof value.url === 'string') return byUrl(withoutSigns(value.url), context);
	return {
		problem: `must be a URL or the name of a binary field, got ${quoted(value)}`,
		hint: 'An object is taken where it has a text "url", or is a file of the item',
	};
}

const isUrlLike = (text: string): boolean => /^["'`<“„«\s]*https?:/i.test(text);

/** @param isNamed whether the text is the name of a field, because the mode is *Binary* */
function oneOf(value: unknown, isNamed: boolean, context: RuleContext): Ruled {
	if (isRecord(value)) return ofObject(value, context);
	const mayBeText = isNamed || typeof value === 'string';
	const given = mayBeText ? textIn(value) : undefined;
	if (given === undefined)
		return { problem: `must be a URL or the name of a binary field, got ${quoted(value)}` };
	if (isNamed && isFileName(given, context)) return { value: new BinaryReference(given) };
	const text = trimmed(given);
	if (withoutSigns(text).startsWith(BINARY)) {
		const [, ...name] = text.split(BINARY);
		return byName(name.join(BINARY), context);
	}
	// The mode may have been left as it was although a URL was entered. AI agents do that.
	return isNamed && !isUrlLike(text) ? byName(text, context) : byUrl(text, context);
}

/** The URLs and files that a text names, one or several per line. */
function mediaIn(text: string): string[] {
	return text.split('\n').flatMap((line) => {
		const found = line.split(NEXT_MEDIUM);
		return found.flatMap((one) => {
			// The name of a file may contain blanks and signs.
			if (withoutSigns(one).startsWith(BINARY)) return [one];
			// If the line has only one URL, a blank in it is part of the URL.
			const apart = found.length === 1 ? [one] : one.split(/\s+/);
			return apart.map(withoutSigns);
		});
	});
}

/** The entries of an array, of JSON text (AI agents write arrays so), or of a text. */
function mediaEntriesOf(whole: unknown, isNamed: boolean, context: RuleContext): unknown[] {
	const value = (isNamed ? textIn(whole) : undefined) ?? whole;
	if (isNamed && typeof value === 'string') {
		const named = value.startsWith(BINARY) ? value.slice(BINARY.length) : value;
		if (isFileName(value, context) || isFileName(named, context)) return [value];
	}
	const isJson = typeof value === 'string' && /^\s*([[{]|```)/.test(value);
	const given = (isJson ? parsedJson(value) : undefined) ?? value;
	const isName = (text: string): boolean => isNamed && !isUrlLike(text);
	const isList = typeof given === 'string' && isName(given);
	const entries = (isList ? given.split(BETWEEN_NAMES) : [given].flat()).flatMap(
		(entry: unknown) => (typeof entry === 'string' && !isName(entry) ? mediaIn(entry) : [entry]),
	);
	return entries.filter((entry) => entry !== null && entry !== undefined && !isEmptyText(entry));
}

/**
 * Media inputs, which are sent as an array: URLs, `binary:<field>`, objects with a `url`, files of the item.
 * Specification: Conventions, "media input URLs are HTTPS"; CreateGeneration, `input`.
 */
export const media = ({ max, required }: MediaBounds = {}): Rule => {
	const rule = (isNamed: boolean): Rule =>
		whenThere({ required }, (value, context) => {
			const items: unknown[] = [];
			for (const entry of mediaEntriesOf(value, isNamed, context)) {
				const ruled = oneOf(entry, isNamed, context);
				if ('problem' in ruled) return ruled;
				items.push(ruled.value);
			}
			if (max !== undefined && items.length > max)
				return { problem: `takes at most ${max} item${max === 1 ? '' : 's'}, got ${items.length}` };
			if (items.length > 0) return { value: items };
			return required ? EMPTY : LEFT_OUT;
		});
	return (value, context) => {
		// The mode of a locator says what its text is. Any other text is a URL or `binary:<field>`.
		const { inner, mode } = unlocated(value);
		const isNamed = mode === 'binary';
		return isNamed && isEmptyText(inner) ? NO_NAME : rule(isNamed)(inner, context);
	};
};

/** A single media input, which is sent by itself and not in an array. */
export const oneMedia = (presence: Presence = {}): Rule => {
	const rule = media({ ...presence, max: 1 });
	return (value, context) => {
		const ruled = rule(value, context);
		const isList = 'value' in ruled && Array.isArray(ruled.value);
		return isList ? { value: (ruled.value as unknown[])[0] } : ruled;
	};
};

/** The rule for the name of a binary field of the item, or for its file. */
export const binaryField = (): Rule => {
	const rule = oneMedia({ required: true });
	return (value, context) => {
		const { inner } = unlocated(value);
		const text = textIn(inner);
		if (text === undefined) return rule(value, context);
		if (isFileName(text, context)) return { value: new BinaryReference(text) };
		return isEmptyText(text) ? EMPTY : byName(text.replace(BINARY, ''), context);
	};
};
