import { isBlank, quoted } from '../../src/base/texts';
import { elementsIn, NO_ELEMENT, tagsIn, type Element, type Span } from './markup';
import { CUTS, graphemeEnd, withHidden, type Cut } from './placesToCut';

/*
 * A long text is spoken in blocks. What stays together is found first (`markup.ts`). Then each block goes as
 * far as it may, and ends at the best place before that (`placesToCut.ts`).
 */

/** The blocks of a text, or why it cannot be divided. */
export type Split = { blocks: string[] } | { problem: string };

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
		const found = splitAt(text, max, CUTS.slice(first));
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

/** Divides a text at these places, the best first. */
function splitAt(text: string, max: number, cuts: readonly Cut[]): Split {
	const tags = tagsIn(text);
	const { whole, long } = fittingAndLong(text, elementsIn(text, tags), tags, max);
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
	cuts: readonly Cut[],
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

/**
 * Whether nothing stands in a part of a text but tags of elements that go on, so that nobody would hear it.
 */
function isOnlyTags(part: string, elements: Element[]): boolean {
	let rest = part;
	for (const { opens, closes } of elements) rest = rest.replace(opens, '').replace(closes, '');
	return isBlank(rest);
}

/** Where a block that begins at `from` ends. */
function endOf(
	text: string,
	from: number,
	max: number,
	kept: Span[],
	cuts: readonly Cut[],
): number {
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

/** Where a block that begins at `from` ends at the latest. Blanks after it do not count. */
function limitOf(text: string, from: number, max: number): number {
	let at = from;
	for (let count = 0; count < max && at < text.length; count += 1)
		at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
	while (at < text.length && text[at]?.trim() === '') at += 1;
	return at;
}

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

/**
 * Which spans stay together (`whole`), because they fit into a block with the tags around them, and which
 * elements are too long: these go on in the next block, ended at the cut and begun again after it. What
 * stands in parentheses is a tag to some models and text to all others, so it stays together only where it
 * fits.
 */
function fittingAndLong(
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

/** Spans without those that lie in another. */
function outermost(spans: Span[]): Span[] {
	const kept: Span[] = [];
	for (const span of spans.sort((one, other) => one.start - other.start || other.end - one.end))
		if (span.start >= (kept.at(-1)?.end ?? 0)) kept.push(span);
	return kept;
}

function fitsInto(text: string, { start, end }: Span, max: number): boolean {
	if (end - start > 2 * max) return false;
	return end - start <= max || codePoints(text.slice(start, end)) <= max;
}

const codePoints = (text: string): number => [...text].length;
