import { splitBreakable, splitGraphemes } from './clean';
import { widthInEm } from './font';

export interface Paragraph {
	lines: string[];
	/** Pixels. */
	fontSize: number;
}

export const LINE_HEIGHT = 1.22;

interface Box {
	/** Pixels. */
	width: number;
	height: number;
	largest: number;
	smallest: number;
}

/**
 * The largest text that fits the box. At the smallest size what does not fit is cut with an
 * ellipsis; a box with no room for one line gives no lines.
 */
export function fitText(text: string, box: Box): Paragraph {
	for (let fontSize = box.largest; fontSize > box.smallest; fontSize *= 0.92) {
		const lines = wrap(text, box.width / fontSize);
		if (lines.length * fontSize * LINE_HEIGHT <= box.height) {
			return { lines: balance(text, box.width / fontSize, lines.length), fontSize };
		}
	}
	const fontSize = box.smallest;
	const room = Math.floor(box.height / (fontSize * LINE_HEIGHT));
	const lines = wrap(text, box.width / fontSize);
	if (lines.length <= room) return { lines, fontSize };
	const kept = lines.slice(0, Math.max(0, room));
	const last = kept.pop();
	if (last !== undefined) kept.push(ellipsis(last, box.width / fontSize));
	return { lines: kept, fontSize };
}

/** The same number of lines, none much shorter than the rest: no word is left alone at the end. */
function balance(text: string, widthEm: number, count: number): string[] {
	let [narrow, wide] = [widthEm * 0.5, widthEm];
	for (let i = 0; i < 8; i++) {
		const middle = (narrow + wide) / 2;
		if (wrap(text, middle).length > count) narrow = middle;
		else wide = middle;
	}
	return wrap(text, wide);
}

/** Greedy; a word wider than the line is broken between graphemes. */
function wrap(text: string, widthEm: number): string[] {
	const lines: string[] = [];
	let line = '';
	const flush = () => {
		if (line.trim() !== '') lines.push(line.trim());
		line = '';
	};
	for (const piece of splitBreakable(text)) {
		if (fits(line + piece, widthEm)) {
			line += piece;
			continue;
		}
		flush();
		for (const grapheme of fits(piece, widthEm) ? [piece] : splitGraphemes(piece)) {
			if (line !== '' && !fits(line + grapheme, widthEm)) flush();
			line += grapheme;
		}
	}
	flush();
	return lines;
}

function fits(line: string, widthEm: number): boolean {
	return widthInEm(line.trimEnd()) <= widthEm;
}

function ellipsis(line: string, widthEm: number): string {
	const graphemes = splitGraphemes(line.replace(/…$/, ''));
	while (graphemes.length > 0 && !fits(`${graphemes.join('')}…`, widthEm)) graphemes.pop();
	return `${graphemes.join('').trimEnd()}…`;
}
