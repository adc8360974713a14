/** Longest name in UTF-8 bytes: file systems end at 255, and others put something in front. */
const MOST_BYTES = 200;

/** Names that Windows keeps for devices, whatever their extension. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Control characters, separators and what shells and file systems treat specially. */
// eslint-disable-next-line no-control-regex
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069<>:"|?*]/g;

const bytes = (text: string) => Buffer.byteLength(text, 'utf8');

/** Shortens the stem, so that the extension stays. */
function fit(name: string): string {
	const dot = name.lastIndexOf('.');
	const extension = dot > 0 && name.length - dot <= 16 ? name.slice(dot) : '';
	const stem = [...name.slice(0, name.length - extension.length)];
	while (bytes(stem.join('') + extension) > MOST_BYTES) stem.pop();
	return (stem.join('') + extension).replace(/[\s.]+$/, '');
}

/**
 * A name that is safe as a file name everywhere: the base name only, without control characters, leading dots or
 * reserved names, at most 200 bytes. Empty when nothing is left.
 */
export function safeFileName(text: string): string {
	const base = text.split(/[/\\]/).pop() ?? '';
	const wellFormed = base.replace(/\p{Surrogate}/gu, '');
	const clean = wellFormed.replace(UNSAFE, '').replace(/^[\s.]+|[\s.]+$/g, '');
	return fit(RESERVED.test(clean) ? `_${clean}` : clean);
}

/** What a readable name takes of the words that were asked for: characters, and bytes so that an id fits behind them. */
const MOST_WORDS = { characters: 60, bytes: 150 };

const SHORT_ID = 6;

/** The words of a text with dashes between them, in lower case; cut between two words where that is possible. */
function slug(text: string): string {
	const words =
		text
			.normalize('NFC')
			.toLowerCase()
			.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? [];
	let joined = '';
	for (const word of words) {
		const longer = joined ? `${joined}-${word}` : word;
		const isTooLong =
			[...longer].length > MOST_WORDS.characters || bytes(longer) > MOST_WORDS.bytes;
		if (!isTooLong) joined = longer;
		else return joined || cut(word);
	}
	return joined;
}

function cut(word: string): string {
	const characters = [...word].slice(0, MOST_WORDS.characters);
	while (bytes(characters.join('')) > MOST_WORDS.bytes) characters.pop();
	return characters.join('');
}

/** The end of an id tells two files of the same words apart. */
const shortId = (id: string): string => slug(id).split('-').at(-1)?.slice(-SHORT_ID) ?? '';

/**
 * A readable name without extension: the words that were asked for, a short id and, where there are several, a number.
 * Safe as a file name everywhere, whatever the words and the id are.
 * @param words what the file shows or says, else its kind
 */
export function readableStem(words: string, kind: string, id: string, number?: number): string {
	const parts = [slug(words) || slug(kind) || 'file', shortId(id), number ?? ''];
	return safeFileName(parts.filter((part) => part !== '').join('-'));
}
