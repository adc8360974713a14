import { renderMusic } from './audio/music';
import { renderSfx } from './audio/sfx';
import { renderSpeech } from './audio/speech';
import { renderImage } from './picture/image';
import type { Media, MediaKind, MediaRequest } from './types';
import { renderVideo } from './video/video';

export { MEDIA_KINDS } from './types';
export type { Media, MediaKind, MediaRequest } from './types';

const RENDERERS: Record<MediaKind, (request: MediaRequest) => Promise<Media>> = {
	image: renderImage,
	video: renderVideo,
	music: renderMusic,
	sfx: renderSfx,
	speech: renderSpeech,
};

/**
 * Makes the media that a request asks for: real files that any player opens, the same bytes for the
 * same request. Wishes out of bounds are clamped and unreadable ones ignored: this never refuses a
 * prompt, since what is valid is the service's decision, not the painter's.
 */
export async function render(request: MediaRequest): Promise<Media> {
	return await RENDERERS[request.kind](request);
}
