/**
 * What is used of opentype.js 2; the types of version 1 would bring those of browsers into every
 * file.
 */
declare module 'opentype.js' {
	export interface Glyph {
		/** 0 is the glyph for missing characters. */
		index: number;
		/** Font units. */
		advanceWidth?: number;
	}

	export interface Font {
		unitsPerEm: number;
		charToGlyph(character: string): Glyph;
	}

	/** @param font the whole file */
	export function parse(font: ArrayBuffer): Font;
}
