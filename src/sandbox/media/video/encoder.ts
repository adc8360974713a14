/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import type { Size } from '../dimensions';
import { complete } from './boxes';

export interface VideoEncoder {
	/** RGBA, of exactly the size of the video. */
	add(pixels: Buffer): void;
	finish(): Buffer;
	/** Frees the memory inside the wasm module; to be called however it ended. */
	release(): void;
}

/** Of 10 to 51; above this the soft skies show blocks. */
const QUANTIZATION = 21;
const FASTEST = 10;

type Library = typeof import('h264-mp4-encoder');

let library: Promise<Library> | undefined;
let created = 0;

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

/** Whole frames a second, with a key frame at the start of each second; width and height even. */
export async function createEncoder(options: Size & { frameRate: number }): Promise<VideoEncoder> {
	const { createH264MP4Encoder } = await (library ??= loadLibrary());
	const encoder = await createH264MP4Encoder();
	// All encoders share one file system.
	const file = `${created++}.mp4`;
	encoder.outputFilename = file;
	encoder.width = options.width;
	encoder.height = options.height;
	encoder.frameRate = options.frameRate;
	encoder.speed = FASTEST;
	encoder.quantizationParameter = QUANTIZATION;
	encoder.groupOfPictures = options.frameRate;
	encoder.initialize();
	const keyFrames: number[] = [];
	let frames = 0;
	return {
		add: (pixels) => {
			if (frames % options.frameRate === 0) keyFrames.push(frames);
			frames++;
			encoder.addFrameRgba(pixels);
		},
		finish: () => {
			encoder.finalize();
			return complete(Buffer.from(encoder.FS.readFile(file)), keyFrames);
		},
		release: () => {
			encoder.delete();
			encoder.FS.unlink(file);
		},
	};
}
