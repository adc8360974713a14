/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, type Font } from 'opentype.js';

/**
 * Rubik SemiBold (SIL OFL 1.1): Latin, Cyrillic, Hebrew and Arabic, on machines without fonts too.
 */
export const FONT_FILE = join(__dirname, '..', 'fonts', 'Rubik-SemiBold.ttf');
export const FONT_FAMILY = 'Rubik SemiBold';

/** Width in em of a code point; `undefined` where the font has no glyph. */
type Advances = Map<number, number | undefined>;

let font: Font | undefined;
const advances: Advances = new Map();

/** resvg draws and shapes text, but reports its width only by rendering it once per word. */
function load(): Font {
	return (font ??= parse(new Uint8Array(readFileSync(FONT_FILE)).buffer));
}

function advanceOf(codePoint: number): number | undefined {
	if (!advances.has(codePoint)) {
		const character = String.fromCodePoint(codePoint);
		const { unitsPerEm } = load();
		const glyph = load().charToGlyph(character);
		advances.set(codePoint, glyph.index === 0 ? undefined : (glyph.advanceWidth ?? 0) / unitsPerEm);
	}
	return advances.get(codePoint);
}

export function hasGlyph(codePoint: number): boolean {
	return advanceOf(codePoint) !== undefined;
}

/** Width in em of text without kerning: never less than what is drawn by more than a hair. */
export function widthInEm(text: string): number {
	let em = 0;
	for (const character of text) em += advanceOf(character.codePointAt(0) ?? 0) ?? 0;
	return em;
}
