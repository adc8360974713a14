import sharp from 'sharp';
import { imageSize } from '../dimensions';
import type { Media, MediaRequest } from '../types';
import { captionOf } from './caption';
import { rasterize } from './raster';
import { thumbnails } from './references';
import { setScene } from './scenes';

/** A PNG of the asked size or aspect ratio with the prompt written on a seeded scene. */
export async function renderImage(request: MediaRequest): Promise<Media> {
	const size = imageSize(request);
	const prints = await thumbnails(request.references ?? [], size);
	const picture = setScene(request, size)(0) + prints + captionOf(request, size);
	const bytes = await sharp(await rasterize(picture, size), { raw: { ...size, channels: 4 } })
		.removeAlpha()
		.png({ compressionLevel: 6 })
		.toBuffer();
	return { bytes, mediaType: 'image/png', extension: 'png', ...size };
}
