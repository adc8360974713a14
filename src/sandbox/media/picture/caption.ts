import type { Size } from '../dimensions';
import { escapeXml } from '../text/clean';
import { drawable, isRightToLeft } from '../text/drawable';
import { FONT_FAMILY } from '../text/font';
import { fitText, LINE_HEIGHT } from '../text/wrap';
import type { MediaRequest } from '../types';
import { linear, round } from './scenes/scene';

/** A picture this small has no room for the note. */
const NOTED_SIDE = 160;
const RIGHT_TO_LEFT_MARK = '\u200f';

/**
 * The prompt in the lower part over a shade that keeps it legible on any scene, and a small note.
 */
export function captionOf({ kind, prompt, index }: MediaRequest, { width, height }: Size): string {
	const unit = Math.min(width, height);
	const margin = unit * 0.06;
	const noted = unit >= NOTED_SIDE;
	const noteSize = noted ? Math.max(7, unit * 0.021) : 0;
	const bottom = height - margin - noteSize * 2.6;
	const { lines, fontSize } = fitText(drawable(prompt), {
		width: width - 2 * margin,
		height: bottom - height * 0.42,
		largest: Math.max(9, unit * 0.066),
		smallest: Math.max(8, unit * 0.03),
	});
	const end = isRightToLeft(prompt);
	// The mark keeps the punctuation at the end of a line on the left side of it.
	const mark = end ? RIGHT_TO_LEFT_MARK : '';
	const rows = lines.map((line, i) => {
		const text = line + mark;
		const y = bottom - (lines.length - 1 - i) * fontSize * LINE_HEIGHT;
		return textAt({ text, x: end ? width - margin : margin, y, size: fontSize, opacity: 1, end });
	});
	if (noted) {
		const text = `${kind} ${index + 1}  •  ${width} × ${height}  •  n8n MediaGen sandbox`;
		const y = height - margin;
		rows.push(textAt({ text, x: margin, y, size: noteSize, opacity: 0.66, end: false }));
	}
	return shadeFrom(bottom - lines.length * fontSize * LINE_HEIGHT - height * 0.14) + rows.join('');

	function shadeFrom(top: number): string {
		const stops = linear('shade', [
			[0, '#000000', 0],
			[0.3, '#000000', 0.16],
			[0.6, '#000000', 0.42],
			[1, '#000000', 0.62],
		]);
		const y = Math.max(0, top);
		return `<defs>${stops}</defs><rect y="${round(y)}" width="${width}" height="${round(height - y)}" fill="url(#shade)"/>`;
	}
}

interface Row {
	text: string;
	/** Pixels: of the left end of the base line, or of the right one with `end`. */
	x: number;
	y: number;
	size: number;
	opacity: number;
	end: boolean;
}

function textAt({ text, x, y, size, opacity, end }: Row): string {
	const anchor = end ? ' text-anchor="end"' : '';
	return `<text xml:space="preserve" x="${round(x)}" y="${round(y)}" font-family="${FONT_FAMILY}" font-size="${round(size)}" fill="#ffffff" fill-opacity="${opacity}"${anchor}>${escapeXml(text)}</text>`;
}
