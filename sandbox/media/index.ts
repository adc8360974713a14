import { renderEffect, renderMusic } from './audio';
import { renderImage } from './picture';
import { renderSpeech } from './speech';
import type { Media, MediaKind, MediaRequest } from './types';
import { renderVideo } from './video';

export type { Media, MediaKind, MediaRequest } from './types';

const RENDERERS: Record<MediaKind, (request: MediaRequest) => Promise<Media>> = {
	image: renderImage,
	video: renderVideo,
	music: renderMusic,
	sfx: renderEffect,
	speech: renderSpeech,
};

/**
 * Makes the media that a request asks for: real files that any player opens. Wishes out of bounds
 * are clamped and unreadable ones ignored: what is valid is the service's decision.
 */
export async function render(request: MediaRequest): Promise<Media> {
	return await RENDERERS[request.kind](request);
}
