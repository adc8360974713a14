import { getOrCreate } from '../../src/base/getOrCreate';
import { isBlank, quoted } from '../../src/base/texts';

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

/** What stays with the word after it: an opening bracket or quotation mark. */
const OPENS = /[\p{Ps}\p{Pi}"'¿¡]/u;

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

/** The longest tag, in characters, such as `<break time="1.5s"/>` or `[laughs]`. */
const MAX_TAG = 300;

const CLOSERS: Record<string, string> = { '<': '>', '[': ']', '{': '}', '(': ')' };

/** What follows a `<` that opens a tag. Before anything else it is a comparison. */
const TAG_START = /[\p{L}/!?#|]/u;

/** What stands for a hidden piece: a character, and combining marks, which are never cut off from it. */
const HIDDEN = '\ufffc';
const HIDDEN_REST = '\u0301';

interface Span {
	start: number;
	end: number;
}

/**
 * If the value of an attribute begins here with a quotation mark: where it ends. Otherwise the same place.
 */
function endOfValue(text: string, at: number): number {
	const quote = text[at] ?? '';
	const isValue = (quote === '"' || quote === "'") && text[at - 1] === '=';
	const end = isValue ? text.slice(at + 1, at + MAX_TAG).indexOf(quote) : -1;
	return end === -1 ? at : at + 1 + end;
}

/** A comment, or text that is marked as no markup (CDATA): a bracket in it closes nothing. */
const UNREAD = /^(?:<!--[^]*?-->|<!\[CDATA\[[^]*?\]\]>)/;

/** The outermost pairs of matching brackets of at most {@link MAX_TAG} characters within a paragraph. */
function bracketed(text: string): Span[] {
	const spans: Span[] = [];
	let open: Array<{ at: number; closer: string }> = [];
	for (let at = 0; at < text.length; at += 1) {
		const character = text[at] ?? '';
		const closer = CLOSERS[character];
		const isOpener = character !== '<' || TAG_START.test(text[at + 1] ?? '');
		const [unread] = text.startsWith('<!', at)
			? (UNREAD.exec(text.slice(at, at + MAX_TAG)) ?? [])
			: [];
		if (unread !== undefined) {
			spans.push({ start: at, end: at + unread.length });
			at += unread.length - 1;
			continue;
		}
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
 * What stands between a tag that begins and the one that ends it: `<say-as>…</say-as>`,
 * `[whispers]…[/whispers]`.
 */
interface Element extends Span {
	opens: string;
	closes: string;
}

/** The name of a tag that begins or ends an element; empty for any other, such as `<break/>`. */
function elementNameOf(tag: string): { name: string; isEnd: boolean } {
	const [, end = '', name = ''] = /^[<[]\s*(\/?)\s*([\p{L}_][\p{L}\p{N}_:. -]*)/u.exec(tag) ?? [];
	const [first = ''] = tag.startsWith('<') ? name.split(' ') : [name.trim()];
	return { name: tag.endsWith('/>') ? '' : tag.charAt(0) + first.toLowerCase(), isEnd: end !== '' };
}

const NO_ELEMENT: Element = { start: 0, end: 0, opens: '', closes: '' };

/** The elements of a text, in the order in which they begin. */
function elementsIn(text: string, tags: Span[]): Element[] {
	const found: Element[] = [];
	/** The tags of elements that have begun and not ended, by name. */
	const open = new Map<string, Array<Span & { opens: string }>>();
	for (const { start, end } of tags) {
		const tag = text.slice(start, end);
		const { name, isEnd } = elementNameOf(tag);
		if (name.length < 2) continue;
		const begun = getOrCreate(open, name, () => []);
		if (!isEnd) {
			begun.push({ start, end, opens: tag });
			continue;
		}
		const begin = begun.pop();
		if (begin) found.push({ start: begin.start, end, opens: begin.opens, closes: tag });
	}
	return found.sort((one, other) => one.start - other.start);
}

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

/** Spans without those that lie in another. */
function outermost(spans: Span[]): Span[] {
	const kept: Span[] = [];
	for (const span of spans.sort((one, other) => one.start - other.start || other.end - one.end))
		if (span.start >= (kept.at(-1)?.end ?? 0)) kept.push(span);
	return kept;
}

/**
 * A text of the same length that can be read for places to cut: each span is one grapheme, and an
 * abbreviation, the number of a list or an address has no sign that would end a sentence.
 */
function withHidden(text: string, spans: Span[]): string {
	const joined = (found: string) => found.replace(/[.\s]/g, 'x');
	return hidden(text, spans)
		.replace(ABBREVIATIONS, joined)
		.replace(LIST_NUMBER, joined)
		.replace(SIGN_WITHIN, 'x');
}

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

/** Where a block that begins at `from` ends at the latest. Blanks after it do not count. */
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

/** Where a text is cut, the best place first. */
const CUTS = [paragraphEnd, sentenceEnd, wordEnd];

/** The last span that begins before a place. @param spans in the order in which they begin */
function lastBefore(spans: Span[], position: number): Span | undefined {
	let low = 0;
	let high = spans.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((spans[middle]?.start ?? Infinity) < position) low = middle + 1;
		else high = middle;
	}
	return spans[low - 1];
}

/** Where a block that begins at `from` ends. */
function endOf(text: string, from: number, max: number, kept: Span[], cuts: typeof CUTS): number {
	const whole = limitOf(text, from, max);
	if (whole === text.length) return whole;
	// What stays together is not divided: the block ends before it.
	const last = lastBefore(kept, whole);
	const divided = last && last.start > from && last.end > whole ? last : undefined;
	const limit = divided?.start ?? whole;
	for (const cut of cuts) {
		const end = cut(text, from, limit);
		if (end !== undefined) return end;
	}
	return divided ? limit : graphemeEnd(text, from, limit);
}

const codePoints = (text: string): number => [...text].length;

function fitsInto(text: string, { start, end }: Span, max: number): boolean {
	if (end - start > 2 * max) return false;
	return end - start <= max || codePoints(text.slice(start, end)) <= max;
}

/**
 * Which spans stay together (`whole`), because they fit into a block with the tags around them, and which
 * elements are too long: these go on in the next block, ended at the cut and begun again after it. What
 * stands in parentheses is a tag to some models and text to all others, so it stays together only where it
 * fits.
 */
function divided(
	text: string,
	elements: Element[],
	tags: Span[],
	max: number,
): { whole: Span[]; long: Element[] } {
	const parentheses = tags.filter((tag) => text[tag.start] === '(');
	const spans = [...elements, ...parentheses.map((span) => ({ ...NO_ELEMENT, ...span }))];
	const whole: Span[] = [];
	const long: Element[] = [];
	/** The elements that are too long and not over yet, with the length of their tags. */
	const around: Array<{ end: number; length: number }> = [];
	let length = 0;
	for (const one of spans.sort((first, second) => first.start - second.start)) {
		for (let last = around.at(-1); last && last.end <= one.start; last = around.at(-1)) {
			around.pop();
			length -= last.length;
		}
		if (fitsInto(text, one, max - length)) {
			whole.push(one);
		} else if (one.opens !== '') {
			const own = codePoints(one.opens + one.closes);
			long.push(one);
			around.push({ end: one.end, length: own });
			length += own;
		}
	}
	return { whole, long };
}

/**
 * Whether nothing stands in a part of a text but tags of elements that go on, so that nobody would hear it.
 */
function isOnlyTags(part: string, elements: Element[]): boolean {
	let rest = part;
	for (const { opens, closes } of elements) rest = rest.replace(opens, '').replace(closes, '');
	return isBlank(rest);
}

/** The blocks of a text, or why it cannot be divided. */
export type Split = { blocks: string[] } | { problem: string };

/** A text that is divided. */
interface Source {
	text: string;
	/** The same with what stays together hidden: places to cut are looked for in it. */
	readable: string;
	/** What stays together. */
	kept: Span[];
}

/**
 * The next block, and where it ends in the text. It gets the tags of elements that began before it, and those
 * that end what goes on after it.
 * @param near the elements that are too long for a block and not over where this one begins
 */
function nextBlock(
	{ text, readable, kept }: Source,
	from: number,
	max: number,
	near: Element[],
	cuts: typeof CUTS,
): { end: number; block: string } | { problem: string } {
	const begun = near.filter((one) => one.start < from);
	const opens = begun.map((one) => one.opens).join('');
	const closesOf = (open: Element[]) =>
		[...open]
			.reverse()
			.map((one) => one.closes)
			.join('');
	const closesAt = (end: number) =>
		closesOf(near.filter((one) => one.start < end && one.end > end));
	const blockTo = (end: number) => opens + text.slice(from, end).trim() + closesAt(end);
	let end = from;
	// What begins in the block and goes on after it needs room for the tag that ends it, too.
	let needed = codePoints(opens + closesOf(begun));
	for (let own = -1; needed > own; needed = codePoints(opens + closesAt(end))) {
		own = needed;
		if (own >= max) {
			const { opens: tag, start } = near[0] ?? NO_ELEMENT;
			return {
				problem: `has the element ${quoted(tag)} at character ${start + 1}, which is longer than a block, and its tags leave no room in one`,
			};
		}
		end = endOf(readable, from, max - own, kept, cuts);
		// A tag that ends an element stays in the block with what it ends.
		for (const { end: over, closes } of [...near].reverse())
			if (over === end + closes.length && codePoints(blockTo(over)) <= max) end = over;
		if (codePoints(blockTo(end)) <= max) break;
	}
	return { end, block: isOnlyTags(text.slice(from, end), near) ? '' : blockTo(end) };
}

function split(text: string, max: number, cuts: typeof CUTS): Split {
	const tags = bracketed(text);
	const { whole, long } = divided(text, elementsIn(text, tags), tags, max);
	const kept = outermost([...whole, ...tags.filter((tag) => text[tag.start] !== '(')]);
	const source = { text, readable: withHidden(text, kept), kept };
	const blocks: string[] = [];
	/** The long elements that are not over, and how many of all long ones have begun. */
	let near: Element[] = [];
	let seen = 0;
	for (let from = 0; from < text.length;) {
		const begin = from;
		const reach = limitOf(text, from, max);
		for (let next = long[seen]; next !== undefined && next.start < reach; next = long[seen]) {
			near.push(next);
			seen += 1;
		}
		near = near.filter((one) => one.end > begin);
		const found = nextBlock(source, from, max, near, cuts);
		if ('problem' in found) return found;
		if (found.block !== '') blocks.push(found.block);
		from = found.end;
	}
	return { blocks };
}

/**
 * Divides a text into blocks of at most `max` characters (code points). It is cut where a paragraph ends,
 * otherwise where a sentence ends, otherwise where a word ends. A word that is longer than a block is cut
 * between graphemes. Never cut are a grapheme, a tag in `<>`, `[]` or `{}` of up to 300 characters, and an
 * element that fits into a block. Only blanks between blocks are left out, and blocks in which nobody sees
 * anything.
 * @param perFile how many blocks a file takes: paragraphs are divided where that saves a file
 */
export function splitText(text: string, max: number, perFile = Infinity): Split {
	const least = Math.ceil(codePoints(text) / max / perFile);
	let best: Split = { blocks: [] };
	let fewest = Infinity;
	for (let first = 0; first < CUTS.length; first += 1) {
		const found = split(text, max, CUTS.slice(first));
		if ('problem' in found) return found;
		const files = Math.ceil(found.blocks.length / perFile);
		if (files < fewest) {
			best = found;
			fewest = files;
		}
		if (files <= Math.max(1, least)) break;
	}
	return best;
}
