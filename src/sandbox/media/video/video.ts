import { createH264MP4Encoder } from './encoder';
import { breather } from '../breathe';
import { videoSize } from '../dimensions';
import { caption } from '../picture/caption';
import { choosePalette } from '../picture/palette';
import { rasterize } from '../picture/raster';
import { thumbnails } from '../picture/references';
import { chooseScene } from '../picture/scenes';
import { clamp, randomFrom } from '../random';
import type { Media, MediaRequest } from '../types';
import { overlay } from './overlay';

const DEFAULT_SECONDS = 3;
const MAX_SECONDS = 12;
const MAX_FRAMES = 96;
const MAX_FRAME_RATE = 24;

/**
 * An MP4 (H.264) in which the scene moves through one loop under the prompt. Lasts as long as asked,
 * 1 to 12 seconds, in whole frames; longer ones have fewer frames a second.
 */
export async function renderVideo(request: MediaRequest): Promise<Media> {
	const size = videoSize(request);
	const seconds = clamp(request.durationSeconds, 1, MAX_SECONDS, DEFAULT_SECONDS);
	const frameRate = Math.min(MAX_FRAME_RATE, Math.floor(MAX_FRAMES / seconds));
	const frames = Math.max(1, Math.round(seconds * frameRate));
	const random = randomFrom(request.prompt, request.seed, request.index);
	const palette = choosePalette(request.prompt, random);
	const scene = chooseScene(request.prompt, { ...size, random, palette });
	const start = random();
	const note = `video ${request.index + 1}  ·  ${size.width} × ${size.height}  ·  n8n MediaGen sandbox`;
	// Shaping text anew for each frame would cost more than all the rest.
	const text = await rasterize(
		(await thumbnails(request.references ?? [], size)) + caption(request.prompt, note, size),
		size,
	);
	const encoder = await createH264MP4Encoder({ ...size, frameRate });
	const breathe = breather();
	try {
		for (let frame = 0; frame < frames; frame++) {
			const pixels = await rasterize(scene(start + frame / frames), size);
			encoder.add(overlay(pixels, text));
			await breathe();
		}
		const bytes = encoder.finish();
		return {
			bytes,
			mediaType: 'video/mp4',
			extension: 'mp4',
			...size,
			durationSeconds: frames / frameRate,
		};
	} finally {
		encoder.release();
	}
}
