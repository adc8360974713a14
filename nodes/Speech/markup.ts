import { getOrCreate } from '../../src/base/maps';

/*
 * The tags of a text, which speech models read as instructions, and the elements that begin and end with two
 * of them.
 */

/** The longest tag, in characters, such as `<break time="1.5s"/>` or `[laughs]`. */
export const MAX_TAG = 300;

/** A part of a text. */
export interface Span {
	start: number;
	end: number;
}

/** The brackets of a tag. */
const CLOSERS: Record<string, string> = { '<': '>', '[': ']', '{': '}', '(': ')' };

/** What follows a `<` that opens a tag. Before anything else it is a comparison. */
const TAG_START = /[\p{L}/!?#|]/u;

/**
 * The tags of a text: outermost pairs of matching brackets of at most {@link MAX_TAG} characters within a
 * paragraph.
 */
export function tagsIn(text: string): Span[] {
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

/**
 * What stands between a tag that begins and the one that ends it: `<say-as>…</say-as>`,
 * `[whispers]…[/whispers]`.
 */
export interface Element extends Span {
	opens: string;
	closes: string;
}

export const NO_ELEMENT: Element = { start: 0, end: 0, opens: '', closes: '' };

/** The elements of a text, in the order in which they begin. */
export function elementsIn(text: string, tags: Span[]): Element[] {
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

/** The name of a tag that begins or ends an element; empty for any other, such as `<break/>`. */
function elementNameOf(tag: string): { name: string; isEnd: boolean } {
	const [, end = '', name = ''] = /^[<[]\s*(\/?)\s*([\p{L}_][\p{L}\p{N}_:. -]*)/u.exec(tag) ?? [];
	const [first = ''] = tag.startsWith('<') ? name.split(' ') : [name.trim()];
	return { name: tag.endsWith('/>') ? '' : tag.charAt(0) + first.toLowerCase(), isEnd: end !== '' };
}
