import { renderAsync } from '@resvg/resvg-js';
import type { Size } from '../dimensions';
import { FONT_FAMILY, FONT_FILE } from '../text/font';

/** SVG elements to RGBA pixels, drawn on a thread of libuv's pool. */
export async function rasterize(elements: string, { width, height }: Size): Promise<Buffer> {
	const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${elements}</svg>`;
	const image = await renderAsync(svg, {
		font: {
			// The fonts of the machine would make the bytes depend on it.
			loadSystemFonts: false,
			fontFiles: [FONT_FILE],
			defaultFontFamily: FONT_FAMILY,
		},
		logLevel: 'off',
	});
	return image.pixels;
}
