import type { IBinaryData } from 'n8n-workflow';
import { quoted, trimmed } from '../../base/texts';
import { isRecord, type Json } from '../../base/types';
import { fieldName } from '../../n8n/call';
import { BinaryReference } from '../../run/uploads';
import { mediaUrlIn } from '../../service/urls';
import { parsedJson } from './json';
import {
	EMPTY,
	isEmptyText,
	isLocator,
	LEFT_OUT,
	type Presence,
	type Rule,
	type RuleContext,
	type Ruled,
	whenThere,
} from './rule';

const BINARY = 'binary:';

/** What a media field takes: no `max`, no limit of our own. */
export interface MediaBounds extends Presence {
	/** Most items. */
	max?: number;
}

/**
 * Between the URLs on the one line of a locator, where the editor has joined lines too. Blanks
 * within a URL belong to it.
 */
const BETWEEN_URLS =
	/\n|[\s,]+(?=["'`<“„«]*(?:https?:\/\/|binary:))|(?<=[^\s,/=?&#:"'`<“„«])(?=https?:\/\/)/;

const BETWEEN_NAMES = /[\n,]/;

const NO_NAME: Ruled = {
	problem: 'names no binary field, though a file was meant to be sent',
	hint: 'Enter the name of a binary field of the item, or remove the field',
};

function byName(given: string, { files }: RuleContext): Ruled {
	const wanted = trimmed(given);
	const name = Object.hasOwn(files, wanted) ? wanted : fieldName(wanted);
	if (Object.hasOwn(files, name)) return { value: new BinaryReference(name) };
	const there = Object.keys(files).join(', ') || 'none';
	return {
		problem: `names the binary field ${quoted(name)}, which the item does not have`,
		hint: `Binary fields of this item: ${there}`,
	};
}

function byUrl(given: string, { baseUrl }: RuleContext): Ruled {
	const { url, problem } = mediaUrlIn(given, baseUrl);
	if (url !== undefined) return { value: url };
	return {
		problem: `${problem}: ${quoted(given)}`,
		hint: 'Enter an https URL, or choose Binary and enter the name of a binary field of the item, which is then uploaded',
	};
}

const isBinary = (value: Json): boolean =>
	'mimeType' in value && ('id' in value || 'data' in value);

/** A file as `{{ $binary.data }}` gives it is sent by the name of its field. */
function byFile(file: Json, context: RuleContext): Ruled {
	const isSame = (other: IBinaryData) =>
		Object.entries(file).every(([name, value]) => other[name] === value);
	const [found, another] = Object.entries(context.files).filter(([, other]) => isSame(other));
	if (found && !another) return { value: new BinaryReference(found[0]) };
	return {
		problem: `is the file ${quoted(file.fileName ?? file.mimeType)}, which is not one file of this item`,
		hint: 'Enter the name of a binary field of the item instead of the file itself',
	};
}

function ofObject(value: Json, context: RuleContext): Ruled {
	if (isBinary(value)) return byFile(value, context);
	if (typeof value.url === 'string') return byUrl(value.url, context);
	return {
		problem: `must be a URL or the name of a binary field, got ${quoted(value)}`,
		hint: 'An object is taken where it has a text "url", or is a file of the item',
	};
}

const isUrlLike = (text: string): boolean => /^["'`<“„«\s]*https?:/i.test(text);

/** @param isNamed whether a text is the name of a field, by the mode *Binary* */
function oneOf(value: unknown, isNamed: boolean, context: RuleContext): Ruled {
	if (isRecord(value)) return ofObject(value, context);
	if (typeof value !== 'string')
		return { problem: `must be a URL or the name of a binary field, got ${quoted(value)}` };
	const text = trimmed(value);
	if (text.startsWith(BINARY)) return byName(text.slice(BINARY.length), context);
	// Somebody may have left the mode as it was and entered a URL, as an AI agent does.
	return isNamed && !isUrlLike(text) ? byName(text, context) : byUrl(text, context);
}

/** The entries of an array, of JSON text (as an AI agent may write it), or of a text. */
function entriesOf(value: unknown, isNamed: boolean): unknown[] {
	const isJson = typeof value === 'string' && /^\s*([[{]|```)/.test(value);
	const given = (isJson ? parsedJson(value) : undefined) ?? value;
	const separator = isNamed && !isUrlLike(String(given)) ? BETWEEN_NAMES : BETWEEN_URLS;
	const entries: unknown[] = typeof given === 'string' ? given.split(separator) : [given].flat();
	return entries.filter((entry) => entry !== null && entry !== undefined && !isEmptyText(entry));
}

/** A locator tells by its mode what a text is; other text is a URL or `binary:<field>`. */
function withMode(value: unknown): { isNamed: boolean; inner: unknown } {
	if (!isLocator(value)) return { isNamed: false, inner: value };
	const { inner } = withMode(value.value);
	return { isNamed: value.mode === 'binary', inner };
}

/**
 * Media inputs, sent as an array: URLs, `binary:<field>`, objects with a `url`, files of the item.
 * Specification: Conventions, "media input URLs are HTTPS"; CreateGeneration, `input`.
 */
export const media = ({ max, required }: MediaBounds = {}): Rule => {
	const rule = (isNamed: boolean): Rule =>
		whenThere({ required }, (value, context) => {
			const items: unknown[] = [];
			for (const entry of entriesOf(value, isNamed)) {
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
		const { isNamed, inner } = withMode(value);
		return isNamed && isEmptyText(inner) ? NO_NAME : rule(isNamed)(inner, context);
	};
};

/** A single media input, sent by itself instead of in an array. */
export const oneMedia = (presence: Presence = {}): Rule => {
	const rule = media({ ...presence, max: 1 });
	return (value, context) => {
		const ruled = rule(value, context);
		const isList = 'value' in ruled && Array.isArray(ruled.value);
		return isList ? { value: (ruled.value as unknown[])[0] } : ruled;
	};
};

/** The name of a binary field of the item, or that file itself. */
export const binaryField = (): Rule => {
	const rule = oneMedia({ required: true });
	return (value, context) => {
		const { inner } = withMode(value);
		if (typeof inner === 'number') return byName(String(inner), context);
		if (isEmptyText(inner)) return EMPTY;
		if (typeof inner === 'string') return byName(inner.replace(BINARY, ''), context);
		return rule(value, context);
	};
};
