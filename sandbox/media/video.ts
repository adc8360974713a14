/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import sharp from 'sharp';

import type { Media, MediaRequest } from './types';
import { caption, scene, thumbnails } from './picture';
import { videoSize } from './size';

const DEFAULT_SECONDS = 3;
const LONGEST_SECONDS = 12;
const MOST_FRAMES = 84;
const MOST_FRAMES_A_SECOND = 20;
/** How much larger than the film the picture is over which the view moves. */
const MARGIN = 1.25;

type Library = typeof import('h264-mp4-encoder');

let library: Promise<Library> | undefined;
let created = 0;

/**
 * A film (MP4, H.264) of the picture that a request describes: the view moves over it and comes
 * back. As long as asked, 1 to 12 seconds; longer ones have fewer frames a second.
 */
export async function renderVideo(request: MediaRequest): Promise<Media> {
	const size = videoSize(request);
	const { durationSeconds: asked = DEFAULT_SECONDS } = request;
	const seconds = Math.min(LONGEST_SECONDS, Math.max(1, asked));
	const frameRate = Math.min(MOST_FRAMES_A_SECOND, Math.floor(MOST_FRAMES / seconds));
	const frames = Math.round(seconds * frameRate);
	const large = {
		width: Math.round(size.width * MARGIN),
		height: Math.round(size.height * MARGIN),
	};
	const raw = { ...large, channels: 4 as const };
	const ground = await sharp(scene(request, large)).ensureAlpha().raw().toBuffer();
	const still = [...(await thumbnails(request, size)), ...(await caption(request, size))];
	const { createH264MP4Encoder } = await (library ??= loadLibrary());
	const encoder = await createH264MP4Encoder();
	// All encoders share one file system.
	const file = `${created++}.mp4`;
	// Each frame is a key frame, because the encoder writes no table of them.
	Object.assign(encoder, { outputFilename: file, frameRate, groupOfPictures: 1, ...size });
	Object.assign(encoder, { speed: 10, quantizationParameter: 26 });
	encoder.initialize();
	try {
		for (let frame = 0; frame < frames; frame += 1) {
			const along = (1 - Math.cos((2 * Math.PI * frame) / frames)) / 2;
			const left = Math.round((large.width - size.width) * along);
			const top = Math.round((large.height - size.height) * (1 - along));
			const view = sharp(ground, { raw }).extract({ left, top, ...size });
			encoder.addFrameRgba(await view.composite(still).raw().toBuffer());
		}
		encoder.finalize();
		const bytes = Buffer.from(encoder.FS.readFile(file));
		return { bytes, ...size, durationSeconds: frames / frameRate };
	} finally {
		encoder.delete();
		encoder.FS.unlink(file);
	}
}

/**
 * The library is compiled by Emscripten, which makes the whole process abort at any unhandled
 * rejection: these listeners are taken off again.
 */
async function loadLibrary(): Promise<Library> {
	const events = ['uncaughtException', 'unhandledRejection'] as const;
	const before = events.map((event) => ({ event, listeners: process.rawListeners(event) }));
	const loaded = await import('h264-mp4-encoder');
	for (const { event, listeners } of before) {
		for (const listener of process.rawListeners(event)) {
			if (!listeners.includes(listener)) process.off(event, listener as () => void);
		}
	}
	return loaded;
}
