/** More than fits on any picture; a prompt may have 10,000 characters. */
const MAX_DRAWN_CHARACTERS = 600;

// Control characters and lone surrogates are not legal XML, and format characters (bidirectional
// overrides, joiners, byte order marks) have no shape of their own.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]+/gu;

/** Any string to a single line of well-formed text that is safe to draw. */
export function cleanText(text: string): string {
	return text
		.slice(0, MAX_DRAWN_CHARACTERS * 4)
		.replace(/\s+/gu, ' ')
		.replace(INVISIBLE, '')
		.normalize('NFC')
		.trim();
}

/** The start of the text, cut between graphemes, with an ellipsis where something was cut. */
export function shorten(text: string, limit = MAX_DRAWN_CHARACTERS): string {
	const graphemes = splitGraphemes(text);
	if (graphemes.length <= limit) return text;
	return `${graphemes.slice(0, limit).join('').trimEnd()}…`;
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const words = new Intl.Segmenter('en', { granularity: 'word' });

export function splitGraphemes(text: string): string[] {
	return Array.from(graphemes.segment(text), (part) => part.segment);
}

/** Pieces between which a line may break: a word keeps the punctuation and space behind it. */
export function splitBreakable(text: string): string[] {
	const pieces: string[] = [];
	for (const { segment, isWordLike } of words.segment(text)) {
		const last = pieces.at(-1);
		const glued = last !== undefined && !isWordLike && !last.endsWith(' ');
		if (glued) pieces[pieces.length - 1] = last + segment;
		else pieces.push(segment);
	}
	return pieces;
}

const ESCAPES: Record<string, string> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&apos;',
};

export function escapeXml(text: string): string {
	return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
