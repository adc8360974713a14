/** From the coarsest to the finest; the first that fits is where a text is cut. */
const LEVELS = ['paragraph', 'sentence', 'word', 'grapheme'] as const;
type Level = (typeof LEVELS)[number];

/** One locale, so that a text is cut alike on every machine. Dictionaries for others are built in. */
const segmenters = {
	sentence: new Intl.Segmenter('en', { granularity: 'sentence' }),
	word: new Intl.Segmenter('en', { granularity: 'word' }),
	grapheme: new Intl.Segmenter('en', { granularity: 'grapheme' }),
};

/** What stays with the word after it: an opening bracket or quotation mark. */
const OPENS = /[\p{Ps}\p{Pi}"'¿¡]$/u;

/** Characters that are looked at together: V8 takes the square of the time for a longer text. */
const WINDOW = 2_000;

/** The segments of a text of any length. Half a window is left to decide where the last one ends. */
function* segmentsOf(text: string, segmenter: Intl.Segmenter): Generator<Intl.SegmentData> {
	let size = WINDOW;
	for (let from = 0, end = 0; from < text.length; from = end) {
		const isLast = from + size >= text.length;
		for (const data of segmenter.segment(text.slice(from, from + size))) {
			const after = data.index + data.segment.length;
			if (!isLast && after > size / 2) break;
			yield data;
			end = from + after;
		}
		size = end === from ? size * 2 : WINDOW;
	}
}

/** Words with the blanks and the punctuation that belong to them. */
function words(text: string): string[] {
	const pieces: string[] = [];
	let piece = '';
	for (const { segment, isWordLike } of segmentsOf(text, segmenters.word)) {
		if (isWordLike && piece !== '' && !OPENS.test(piece)) {
			pieces.push(piece);
			piece = '';
		}
		piece += segment;
	}
	return [...pieces, piece];
}

function piecesOf(text: string, level: Level): string[] {
	if (level === 'paragraph') return text.split(/(?<=\n[^\S\n]*\n)/);
	if (level === 'word') return words(text);
	return Array.from(segmentsOf(text, segmenters[level]), ({ segment }) => segment);
}

const lengthOf = (text: string): number => [...text].length;

function pack(text: string, max: number, level: number): string[] {
	const blocks: string[] = [];
	let block = '';
	let length = 0;
	const close = () => {
		blocks.push(block);
		block = '';
		length = 0;
	};
	for (const piece of piecesOf(text, LEVELS[level] ?? 'grapheme')) {
		const added = lengthOf(piece);
		if (length + added > max) close();
		if (added > max && level < LEVELS.length - 1) {
			blocks.push(...pack(piece, max, level + 1));
			block = blocks.pop() ?? '';
			length = lengthOf(block);
		} else {
			block += piece;
			length += added;
		}
	}
	return [...blocks, block];
}

/**
 * A text as blocks of at most `max` characters (code points), cut where a paragraph ends, otherwise
 * a sentence, otherwise a word. Only a word that is longer than a block is cut itself, between
 * graphemes; a grapheme never is. Nothing but the blanks between blocks is left out.
 */
export const splitText = (text: string, max: number): string[] =>
	pack(text, max, 0)
		.map((block) => block.trim())
		.filter((block) => block !== '');
