/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Rubik SemiBold (SIL OFL 1.1): Latin, Cyrillic, Hebrew and Arabic, on machines without fonts too. */
export const FONT_FILE = join(__dirname, '..', 'fonts', 'Rubik-SemiBold.ttf');
export const FONT_FAMILY = 'Rubik SemiBold';

interface Metrics {
	unitsPerEm: number;
	/** Advance width by code point; a code point that is missing has no glyph. */
	advances: Map<number, number>;
}

let metrics: Metrics | undefined;

/**
 * Reads only what wrapping needs. resvg draws and shapes, but does not tell how wide a text will be
 * short of rendering it once per word.
 */
function loadMetrics(): Metrics {
	const file = readFileSync(FONT_FILE);
	const tables = new Map<string, number>();
	for (let i = 0; i < file.readUInt16BE(4); i++) {
		const record = 12 + i * 16;
		tables.set(file.toString('latin1', record, record + 4), file.readUInt32BE(record + 8));
	}
	const table = (name: string): number => {
		const offset = tables.get(name);
		if (offset === undefined) throw new Error(`The font has no table ${name}`);
		return offset;
	};
	const longMetrics = file.readUInt16BE(table('hhea') + 34);
	const advanceOf = (glyph: number) =>
		file.readUInt16BE(table('hmtx') + Math.min(glyph, longMetrics - 1) * 4);
	const advances = new Map<number, number>();
	for (const [codePoint, glyph] of readCharacterMap(file, table('cmap'))) {
		advances.set(codePoint, advanceOf(glyph));
	}
	return { unitsPerEm: file.readUInt16BE(table('head') + 18), advances };
}

/** The Basic Multilingual Plane's map, format 4, that every TrueType font carries. */
function* readCharacterMap(file: Buffer, cmap: number): Generator<[number, number]> {
	const format4 = Array.from(
		{ length: file.readUInt16BE(cmap + 2) },
		(_, i) => cmap + file.readUInt32BE(cmap + 4 + i * 8 + 4),
	).find((offset) => file.readUInt16BE(offset) === 4);
	if (format4 === undefined) throw new Error('The font has no character map of format 4');
	const size = file.readUInt16BE(format4 + 6);
	const ends = format4 + 14;
	const starts = ends + size + 2;
	const deltas = starts + size;
	const ranges = deltas + size;
	for (let i = 0; i < size; i += 2) {
		const rangeOffset = file.readUInt16BE(ranges + i);
		const start = file.readUInt16BE(starts + i);
		for (let code = start; code <= file.readUInt16BE(ends + i) && code < 0xffff; code++) {
			const raw =
				rangeOffset === 0 ? code : file.readUInt16BE(ranges + i + rangeOffset + (code - start) * 2);
			const glyph = raw === 0 ? 0 : (raw + file.readUInt16BE(deltas + i)) & 0xffff;
			if (glyph !== 0) yield [code, glyph];
		}
	}
}

function load(): Metrics {
	return (metrics ??= loadMetrics());
}

export function hasGlyph(codePoint: number): boolean {
	return load().advances.has(codePoint);
}

/** Width in em of text without kerning: never less than what is drawn by more than a hair. */
export function widthInEm(text: string): number {
	const { advances, unitsPerEm } = load();
	let units = 0;
	for (const character of text) units += advances.get(character.codePointAt(0) ?? 0) ?? 0;
	return units / unitsPerEm;
}
