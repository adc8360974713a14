import { isBlank } from '../../src/base/texts';

type Granularity = 'sentence' | 'word' | 'grapheme';

/** Made with the first long text, because they take a fifth of the time to load all nodes. */
const segmenters = new Map<Granularity, Intl.Segmenter>();

/** One locale, so that a text is cut alike on every machine. Dictionaries for others are built in. */
function segmentsOf(text: string, granularity: Granularity): Intl.Segments {
	const segmenter = segmenters.get(granularity) ?? new Intl.Segmenter('en', { granularity });
	segmenters.set(granularity, segmenter);
	return segmenter.segment(text);
}

/** What stays with the word after it: an opening bracket or quotation mark. */
const OPENS = /[\p{Ps}\p{Pi}"'¿¡]/u;

/** What ends with a full stop without ending a sentence. */
const ABBREVIATIONS =
	/\b(?:Mrs?|Ms|Mx|Dr|Prof|St|Lt|Col|Capt|vs|cf|e\.g|i\.e|z\.B|d\.h|Mme|Mlle)\.(?=\s)/g;

/** The longest tag, in characters, such as `<break time="1.5s"/>` or `[laughs]`. */
const MAX_TAG = 300;

const CLOSERS: Record<string, string> = { '<': '>', '[': ']', '{': '}', '(': ')' };

/** Opens a tag, and not a comparison. */
const TAG_START = /[\p{L}/!?#|]/u;

/** The first character of a hidden piece; a combining mark after it is never cut off. */
const HIDDEN = '\ufffc';
const HIDDEN_REST = '\u0301';

interface Span {
	start: number;
	end: number;
}

/** Where the value of an attribute ends that begins with a quotation mark here; else here. */
function endOfValue(text: string, at: number): number {
	const quote = text[at] ?? '';
	const isValue = (quote === '"' || quote === "'") && text[at - 1] === '=';
	const end = isValue ? text.slice(at + 1, at + MAX_TAG).indexOf(quote) : -1;
	return end === -1 ? at : at + 1 + end;
}

/** The outermost pairs of matching brackets of at most {@link MAX_TAG} characters within a paragraph. */
function bracketed(text: string): Span[] {
	const spans: Span[] = [];
	let open: Array<{ at: number; closer: string }> = [];
	for (let at = 0; at < text.length; at += 1) {
		const character = text[at] ?? '';
		const closer = CLOSERS[character];
		const isOpener = character !== '<' || TAG_START.test(text[at + 1] ?? '');
		if (open.at(-1)?.closer === '>') at = endOfValue(text, at);
		if (closer !== undefined && isOpener) {
			open.push({ at, closer });
		} else if (character === '\n' && text[at + 1] === '\n') {
			open = [];
		} else if (open.length > 0 && '>]})'.includes(character)) {
			open = open.filter((one) => at - one.at < MAX_TAG);
			const index = open.findLastIndex((one) => one.closer === character);
			const start = open[index]?.at;
			if (start === undefined) continue;
			open = open.slice(0, index);
			while ((spans.at(-1)?.start ?? -1) > start) spans.pop();
			spans.push({ start, end: at + 1 });
		}
	}
	return spans;
}

/**
 * A text of the same length in which the rest of the module finds no place to cut where there is
 * none: a tag is one grapheme, and an abbreviation a word. What stands in parentheses is a tag to
 * some models; to all others it is text, so that it stays together only where it fits into a block.
 */
function withHidden(text: string, max: number): string {
	const parts: string[] = [];
	let done = 0;
	for (const { start, end } of bracketed(text)) {
		if (text[start] === '(' && end - start > max) continue;
		parts.push(text.slice(done, start), HIDDEN, HIDDEN_REST.repeat(end - start - 1));
		done = end;
	}
	parts.push(text.slice(done));
	return parts.join('').replace(ABBREVIATIONS, (found) => found.replaceAll('.', 'x'));
}

/**
 * Characters before and after a limit that are looked at, as a segmenter takes the square of the time
 * for some texts. A sentence that is longer is cut at a word.
 */
const BEFORE = 4_000;
const AFTER = MAX_TAG + 100;

/** Punctuation in a row after which it is cut anywhere. */
const MAX_STEPS = 100;

/** There always is one within a text. */
const NO_SEGMENT = { index: 0, segment: ' ', isWordLike: false };

/** Where a block that begins at `from` has its end at the latest: blanks after it are left out. */
function limitOf(text: string, from: number, max: number): number {
	let at = from;
	for (let count = 0; count < max && at < text.length; count += 1)
		at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
	while (at < text.length && text[at]?.trim() === '') at += 1;
	return at;
}

/** Where the last paragraph of a part of a text ends. */
function paragraphEnd(text: string, from: number, limit: number): number | undefined {
	const part = text.slice(from, limit);
	let end = part.lastIndexOf('\n');
	while (end > 0) {
		const before = part.lastIndexOf('\n', end - 1);
		if (before === -1) return undefined;
		if (part.slice(before, end).trim() === '') return from + end + 1;
		end = before;
	}
	return undefined;
}

/** Where the last sentence of a part of a text ends. */
function sentenceEnd(text: string, from: number, limit: number): number | undefined {
	const start = Math.max(from, limit - BEFORE);
	let found: number | undefined;
	for (const { index, segment } of segmentsOf(text.slice(start, limit + AFTER), 'sentence')) {
		const end = start + index + segment.length;
		if (end > limit) break;
		found = end;
	}
	return found;
}

/** Where the last word of a part of a text ends, with the blanks and the punctuation that belong to it. */
function wordEnd(text: string, from: number, limit: number): number | undefined {
	const start = Math.max(from, limit - BEFORE);
	const segments = segmentsOf(text.slice(start, limit + AFTER), 'word');
	let at = limit - start;
	for (let steps = 0; at > 0; steps += 1) {
		const { index, segment, isWordLike = false } = segments.containing(at) ?? NO_SEGMENT;
		const end = start + index;
		const begins = isWordLike || segment.startsWith(HIDDEN) || steps >= MAX_STEPS;
		if (index > 0 && begins && !OPENS.test(text[end - 1] ?? '')) return end;
		at = index - 1;
	}
	return undefined;
}

/** Where the last grapheme of a part of a text ends; the first may be longer than the part. */
function graphemeEnd(text: string, from: number, limit: number): number {
	const start = Math.max(from, limit - BEFORE);
	const segments = segmentsOf(text.slice(start, limit + AFTER), 'grapheme');
	const { index, segment } = segments.containing(limit - start) ?? NO_SEGMENT;
	return start + (index > 0 ? index : segment.length);
}

/** Where a block that begins at `from` ends. */
function endOf(text: string, from: number, max: number): number {
	const limit = limitOf(text, from, max);
	if (limit === text.length) return limit;
	return (
		paragraphEnd(text, from, limit) ??
		sentenceEnd(text, from, limit) ??
		wordEnd(text, from, limit) ??
		graphemeEnd(text, from, limit)
	);
}

/**
 * A text as blocks of at most `max` characters (code points), cut where a paragraph ends, otherwise
 * a sentence, otherwise a word. Only a word that is longer than a block is cut itself, between
 * graphemes; a grapheme never is, nor a tag in `<>`, `[]` or `{}` of up to 300 characters. Nothing
 * but the blanks between blocks, and a block in which nobody sees anything, is left out.
 */
export function splitText(text: string, max: number): string[] {
	const hidden = withHidden(text, max);
	const blocks: string[] = [];
	for (let from = 0, end = 0; from < text.length; from = end) {
		end = endOf(hidden, from, max);
		const block = text.slice(from, end).trim();
		if (!isBlank(block)) blocks.push(block);
	}
	return blocks;
}
