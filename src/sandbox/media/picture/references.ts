import sharp from 'sharp';
import type { Size } from '../dimensions';
import { round } from './scenes/scene';

const MAX_THUMBNAILS = 6;
const MAX_INPUT_PIXELS = 64 * 1024 * 1024;

/** The reference images as a row of thumbnails in the upper left corner. */
export async function thumbnails(references: Buffer[], { width, height }: Size): Promise<string> {
	const unit = Math.min(width, height);
	const side = Math.floor(unit * 0.16);
	if (side < 12) return '';
	const images: string[] = [];
	for (const reference of references.slice(0, MAX_THUMBNAILS)) {
		const image = await readThumbnail(reference, side);
		if (image !== undefined) images.push(image);
	}
	const margin = unit * 0.06;
	const frame = Math.max(1, side * 0.05);
	return images
		.map((uri, i) => {
			const x = margin + i * side * 1.18;
			return `<g transform="translate(${round(x)} ${round(margin)})"><rect x="${round(-frame)}" y="${round(-frame)}" width="${round(side + 2 * frame)}" height="${round(side + 2 * frame)}" rx="${round(frame * 1.5)}" fill="#ffffff"/><image width="${side}" height="${side}" href="data:image/png;base64,${uri}"/></g>`;
		})
		.join('');
}

/** A caller may hand over anything as a reference: what sharp cannot read is left out. */
async function readThumbnail(reference: Buffer, side: number): Promise<string | undefined> {
	try {
		const png = await sharp(reference, { limitInputPixels: MAX_INPUT_PIXELS })
			.rotate()
			.resize(side, side, { fit: 'cover' })
			.png()
			.toBuffer();
		return png.toString('base64');
	} catch {
		return undefined;
	}
}
