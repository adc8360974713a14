import sharp from 'sharp';
import { imageSize } from '../dimensions';
import { randomFrom } from '../random';
import type { Media, MediaRequest } from '../types';
import { caption } from './caption';
import { choosePalette } from './palette';
import { rasterize } from './raster';
import { thumbnails } from './references';
import { chooseScene } from './scenes';

/** A PNG of the asked size or aspect ratio with the prompt written on a seeded scene. */
export async function renderImage(request: MediaRequest): Promise<Media> {
	const size = imageSize(request);
	const random = randomFrom(request.prompt, request.seed, request.index);
	const palette = choosePalette(request.prompt, random);
	const scene = chooseScene(request.prompt, { ...size, random, palette });
	const note = `image ${request.index + 1}  ·  ${size.width} × ${size.height}  ·  n8n MediaGen sandbox`;
	const pixels = await rasterize(
		scene(random()) +
			(await thumbnails(request.references ?? [], size)) +
			caption(request.prompt, note, size),
		size,
	);
	const bytes = await sharp(pixels, { raw: { ...size, channels: 4 } })
		.removeAlpha()
		.png({ compressionLevel: 6 })
		.toBuffer();
	return { bytes, mediaType: 'image/png', extension: 'png', ...size };
}
