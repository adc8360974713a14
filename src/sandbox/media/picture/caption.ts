import type { Size } from '../dimensions';
import { escapeXml } from '../text/clean';
import { drawable, isRightToLeft } from '../text/drawable';
import { FONT_FAMILY } from '../text/font';
import { fitText, LINE_HEIGHT } from '../text/wrap';
import { linear, round } from './scenes/scene';

/** The prompt in the lower part over a shade that keeps it legible on any scene, and a small note. */
export function caption(prompt: string, note: string, { width, height }: Size): string {
	const unit = Math.min(width, height);
	const margin = unit * 0.06;
	const noteSize = Math.max(7, unit * 0.024);
	const paragraph = fitText(drawable(prompt), {
		width: width - 2 * margin,
		height: height * 0.52 - margin - noteSize * 1.6,
		largest: Math.max(9, unit * 0.085),
		smallest: Math.max(8, unit * 0.032),
	});
	const { lines, fontSize } = paragraph;
	const rightToLeft = isRightToLeft(prompt);
	const bottom = height - margin - noteSize * 2.1;
	const rows = lines.map((line, i) => {
		const y = bottom - (lines.length - 1 - i) * fontSize * LINE_HEIGHT;
		return textAt(line, rightToLeft ? width - margin : margin, y, fontSize, 1, rightToLeft);
	});
	const legible = unit >= 160 ? textAt(note, margin, height - margin, noteSize, 0.72, false) : '';
	const top = Math.max(0, bottom - lines.length * fontSize * LINE_HEIGHT - height * 0.12);
	const shade = linear('shade', [
		[0, '#000000', 0],
		[0.45, '#000000', 0.4],
		[1, '#000000', 0.68],
	]);
	return `<defs>${shade}</defs><rect y="${round(top)}" width="${width}" height="${round(height - top)}" fill="url(#shade)"/>${rows.join('')}${legible}`;
}

function textAt(
	text: string,
	x: number,
	y: number,
	size: number,
	opacity: number,
	end: boolean,
): string {
	const anchor = end ? ' text-anchor="end"' : '';
	return `<text x="${round(x)}" y="${round(y)}" font-family="${FONT_FAMILY}" font-size="${round(size)}" fill="#ffffff" fill-opacity="${opacity}"${anchor}>${escapeXml(text)}</text>`;
}
