import { getOrCreate } from '../../src/base/maps';
import { MAX_TAG, type Span } from './markup';

/*
 * Where a text can be cut: after a paragraph, a sentence, a word or a grapheme. Each is looked for in a text
 * in which `withHidden` has hidden what must not be cut.
 */

/**
 * A text of the same length that can be read for places to cut: each span is one grapheme, and an
 * abbreviation, the number of a list or an address has no sign that would end a sentence.
 */
export function withHidden(text: string, spans: Span[]): string {
	const joined = (found: string) => found.replace(/[.\s]/g, 'x');
	return hidden(text, spans)
		.replace(ABBREVIATIONS, joined)
		.replace(LIST_NUMBER, joined)
		.replace(SIGN_WITHIN, 'x');
}

/** What stands for a hidden piece: a character, and combining marks, which are never cut off from it. */
const HIDDEN = '\ufffc';
const HIDDEN_REST = '\u0301';

/** A text of the same length in which each span is one grapheme. Spans must not overlap. */
function hidden(text: string, spans: Span[]): string {
	const parts: string[] = [];
	let done = 0;
	for (const { start, end } of spans) {
		parts.push(text.slice(done, start), HIDDEN, HIDDEN_REST.repeat(end - start - 1));
		done = end;
	}
	parts.push(text.slice(done));
	return parts.join('');
}

/**
 * Abbreviations that have a full stop within a sentence, by language. Those that may also end a sentence are
 * left out.
 */
const SHORTENED: Record<string, string> = {
	en: 'mrs? ms mx dr prof st lt col capt gen sgt maj adm rev hon gov sen rep pres jr sr esq messrs msgr vs cf ca approx fig vol pp nos? dept inc ltd corp co ave blvd rd mt ft eds viz ibid tues thurs jan feb apr aug sept? oct nov dec',
	de: 'nr hr fr dipl ing bzw ggf evtl usw abs bd str okt dez vgl sog inkl zzgl einschl mio mrd jh chr aufl kap anm hbf geb verh tel allg',
	fr: 'mme mlle env janv févr juill éd sté',
	es: 'sra? srta dra? dña uds? vds? págs? núm avda lic cía',
	it: 'sig sigg dott avv pag',
	pt: 'profa exmo exma ltda',
	nl: 'dhr mevr bijv blz drs',
	pl: 'np tzn inż mgr godz św ul',
	sv: 'dvs kl',
	cs: 'např tzv tj mudr phdr',
	tr: 'örn cad sn',
	ru: 'ул проф акад руб тыс млн млрд стр рис гг обл',
	el: 'δηλ αρ κα κλπ',
};

const WORDS = Object.values(SHORTENED).join(' ').replaceAll(' ', '|');

/**
 * What ends with a full stop without ending a sentence, with the blank after it: a letter alone (an initial,
 * `p.m.`, `z. B.`), twice (`EE. UU.`) or with a short word after it (`n. Chr.`, `p. ex.`), a number of a
 * list or a day, and what is listed above.
 */
const ABBREVIATIONS = new RegExp(
	`(?<![\\p{L}\\p{M}\\p{N}])(?:\\p{L}|(\\p{L})\\1|\\p{L}\\.[^\\S\\n]?\\p{L}{2,3}|\\d{1,2}|${WORDS})\\.(?:[^\\S\\n](?=\\S))?`,
	'giu',
);

/** A number at the beginning of a line, such as `12.`, `2.1.` or `IV.`, and the blank after it. */
const LIST_NUMBER = /^[^\S\n]*(?:\p{Nd}{1,6}(?:\.\p{Nd}{1,6}){0,5}|[IVXLCDM]{1,6})\.[^\S\n]/gmu;

/** A question or exclamation mark within an address, which ends no sentence. */
const SIGN_WITHIN = /(?<=\w)[?!](?=[\w=&%/#])/g;

/**
 * How many characters before and after a limit are looked at, because for some texts the time of a segmenter
 * grows with the square of their length. A longer sentence is cut at a word.
 */
const BEFORE = 4_000;
const AFTER = MAX_TAG + 100;

/** After so many punctuation marks and blanks in a row a text is cut anywhere. */
const MAX_STEPS = 100;

/** Only for the types: every place within a text belongs to a segment. */
const NO_SEGMENT = { index: 0, segment: ' ', isWordLike: false };

/** Finds where to cut a part of a text that may end at `limit`; `undefined` if there is no such place. */
export type Cut = (text: string, from: number, limit: number) => number | undefined;

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
export function graphemeEnd(text: string, from: number, limit: number): number {
	const start = Math.max(from, limit - BEFORE);
	const segments = segmentsOf(text.slice(start, limit + AFTER), 'grapheme');
	const { index, segment } = segments.containing(limit - start) ?? NO_SEGMENT;
	return start + (index > 0 ? index : segment.length);
}

/** What stays with the word after it: an opening bracket or quotation mark. */
const OPENS = /[\p{Ps}\p{Pi}"'¿¡]/u;

type Granularity = 'sentence' | 'word' | 'grapheme';

/** They are made for the first long text, because they would take a fifth of the time to load all nodes. */
const segmenters = new Map<Granularity, Intl.Segmenter>();

/**
 * The locale is always the same, so that a text is cut alike on every machine. It also finds the words of
 * other languages.
 */
function segmentsOf(text: string, granularity: Granularity): Intl.Segments {
	const newOne = () => new Intl.Segmenter('en', { granularity });
	return getOrCreate(segmenters, granularity, newOne).segment(text);
}

/** Where a text is cut, the best place first. */
export const CUTS: readonly Cut[] = [paragraphEnd, sentenceEnd, wordEnd];
