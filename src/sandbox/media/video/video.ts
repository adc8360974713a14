import { yieldToEventLoop } from '../yieldToEventLoop';
import { videoSize } from '../dimensions';
import { captionOf } from '../picture/caption';
import { rasterize } from '../picture/raster';
import { thumbnails } from '../picture/references';
import { setScene } from '../picture/scenes';
import { clamp } from '../random';
import type { Media, MediaRequest } from '../types';
import { createEncoder } from './encoder';
import { overlay } from './overlay';

const DEFAULT_SECONDS = 3;
const MAX_SECONDS = 12;
const MAX_FRAMES = 84;
const MAX_FRAME_RATE = 20;

/**
 * An MP4 (H.264) in which the scene moves through one loop under the prompt. Lasts as long as
 * asked, 1 to 12 seconds, in whole frames; longer ones have fewer frames a second.
 */
export async function renderVideo(request: MediaRequest): Promise<Media> {
	const size = videoSize(request);
	const seconds = clamp(request.durationSeconds, 1, MAX_SECONDS, DEFAULT_SECONDS);
	const frameRate = Math.min(MAX_FRAME_RATE, Math.floor(MAX_FRAMES / seconds));
	const frames = Math.round(seconds * frameRate);
	const scene = setScene(request, size);
	// Shaping text for each frame would cost more than all the rest.
	const prints = await thumbnails(request.references ?? [], size);
	const still = await rasterize(prints + captionOf(request, size), size);
	const encoder = await createEncoder({ ...size, frameRate });
	const yieldNow = yieldToEventLoop();
	try {
		for (let frame = 0; frame < frames; frame++) {
			encoder.add(overlay(await rasterize(scene(frame / frames), size), still));
			await yieldNow();
		}
		return {
			bytes: encoder.finish(),
			mediaType: 'video/mp4',
			extension: 'mp4',
			...size,
			durationSeconds: frames / frameRate,
		};
	} finally {
		encoder.release();
	}
}
