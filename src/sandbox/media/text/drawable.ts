import { cleanText, shorten, splitGraphemes } from './clean';
import { hasGlyph } from './font';

const PLACEHOLDER = '◊';

/**
 * Any string to one that the shipped font can draw: letters with marks it lacks fall back to the
 * plain letter, pictographs vanish, and letters of other scripts become a lozenge each, so that the
 * length of the text stays visible.
 */
export function drawable(text: string): string {
	const drawn = splitGraphemes(cleanText(text)).map(drawableGrapheme).join('');
	return shorten(drawn.replace(/ +/g, ' ').trim());
}

function drawableGrapheme(grapheme: string): string {
	const covered = (text: string) => Array.from(text).every((c) => hasGlyph(c.codePointAt(0) ?? 0));
	if (covered(grapheme)) return grapheme;
	const plain = grapheme.normalize('NFKD').replace(/\p{M}/gu, '');
	if (plain !== '' && covered(plain)) return plain;
	return /\p{L}|\p{N}/u.test(grapheme) ? PLACEHOLDER : '';
}

/** Whether the first letter with a direction is of a right-to-left script. */
export function isRightToLeft(text: string): boolean {
	const first = /\p{L}/u.exec(text)?.[0];
	return first !== undefined && /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/.test(first);
}
