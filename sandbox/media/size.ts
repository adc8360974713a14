import type { MediaRequest } from './types';

/** Pixels. */
export interface Size {
	width: number;
	height: number;
}

type RequestedSize = Pick<MediaRequest, 'size' | 'aspectRatio' | 'resolution'>;

const LARGEST_SIDE = 4096;
const SMALLEST_SIDE = 16;
const LARGEST_RATIO = 16;

/** What names of resolutions mean: the shorter side in pixels. */
const NAMED: Record<string, number> = { '1k': 1024, '2k': 1440, '4k': 2160 };

/** The asked size, else the largest of the asked aspect ratio within the asked resolution. */
export function imageSize({ size, aspectRatio, resolution }: RequestedSize): Size {
	const exact = readPair(size, 'x');
	if (exact) return bounded(exact);
	const { width, height } = readPair(aspectRatio, ':') ?? { width: 1, height: 1 };
	const short = readResolution(resolution);
	const scale = short ? short / Math.min(width, height) : 1024 / Math.sqrt(width * height);
	return bounded({ width: width * scale, height: height * scale });
}

/** As of an image, but small, because dozens of frames are encoded; even, as H.264 requires. */
export function videoSize({
	size,
	aspectRatio = '16:9',
	resolution = '480p',
}: RequestedSize): Size {
	const { width, height } = imageSize({ size, aspectRatio, resolution });
	const most = Math.min(width, height) > 480 ? 640 * 360 : 480 * 270;
	const scale = Math.min(1, Math.sqrt(most / (width * height)));
	const even = (side: number) => Math.max(32, 2 * Math.round((side * scale) / 2));
	return { width: even(width), height: even(height) };
}

/** Two numbers, of which neither is many times the other: text in a single row cannot be read. */
function readPair(text: string | undefined, separator: string): Size | undefined {
	const [width = 0, height = 0, more] = (text ?? '').split(separator).map(Number);
	if (!(width > 0 && height > 0 && Number.isFinite(width * height))) return undefined;
	if (more !== undefined) return undefined;
	return {
		width: Math.min(width, height * LARGEST_RATIO),
		height: Math.min(height, width * LARGEST_RATIO),
	};
}

function readResolution(text = ''): number | undefined {
	const pixels = NAMED[text.toLowerCase()] ?? parseInt(text, 10);
	return pixels > 0 ? pixels : undefined;
}

function bounded({ width, height }: Size): Size {
	const scale = Math.min(1, LARGEST_SIDE / Math.max(width, height));
	const side = (pixels: number) => Math.max(SMALLEST_SIDE, Math.round(pixels * scale));
	return { width: side(width), height: side(height) };
}
