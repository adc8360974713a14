export interface Size {
	/** Pixels. */
	width: number;
	height: number;
}

interface RequestedSize {
	size?: string;
	aspectRatio?: string;
	resolution?: string;
}

const IMAGE_PIXELS = 1024 * 1024;
const MAX_IMAGE_PIXELS = 4096 * 4096;
const MAX_SIDE = 8192;
const MIN_SIDE = 16;
const MAX_RATIO = 16;

/** What names of resolutions mean: the shorter side in pixels. */
const NAMED_RESOLUTIONS: Record<string, number> = {
	'1k': 1024,
	'2k': 1440,
	'4k': 2160,
	'8k': 4320,
};

/**
 * The size of an image: exactly the asked size, else the largest of exactly the asked aspect ratio
 * within the asked resolution (one megapixel when none was asked). Never more than 16 megapixels
 * nor longer than 16 times its breadth; what cannot be read counts as not asked.
 */
export function imageSize(requested: RequestedSize): Size {
	const size = readSize(requested.size) ?? readSize(requested.resolution);
	if (size !== undefined) return shrink(size, MAX_IMAGE_PIXELS);
	const ratio = readRatio(requested);
	const shortSide = readResolution(requested.resolution);
	const step =
		shortSide === undefined
			? Math.sqrt(IMAGE_PIXELS / (ratio.width * ratio.height))
			: shortSide / Math.min(ratio.width, ratio.height);
	// Whole multiples keep the ratio exact; a ratio such as 2.39:1 has none and is rounded.
	const whole = Number.isInteger(ratio.width) && Number.isInteger(ratio.height) && step >= 1;
	const scale = whole ? Math.round(step) : step;
	return shrink({ width: ratio.width * scale, height: ratio.height * scale }, MAX_IMAGE_PIXELS);
}

/** A larger resolution shows as more pixels, but few, because dozens of frames are encoded. */
function videoPixels(shortSide: number | undefined): number {
	if (shortSide === undefined) return 480 * 270;
	if (shortSide <= 480) return 400 * 225;
	return shortSide <= 720 ? 480 * 270 : 640 * 360;
}

/**
 * The size of a video: of the requested aspect ratio, always small (at most 640 × 360 pixels
 * in all) and no larger than requested, with even sides as H.264 requires.
 */
export function videoSize(requested: RequestedSize): Size {
	const size = readSize(requested.size) ?? readSize(requested.resolution);
	const { width, height } = size ?? readRatio({ aspectRatio: requested.aspectRatio ?? '16:9' });
	const shortSide = size ? Math.min(width, height) : readResolution(requested.resolution);
	const pixels = Math.min(videoPixels(shortSide), size ? width * height : Infinity);
	const scale = Math.sqrt(pixels / (width * height));
	const even = (side: number) => Math.max(32, 2 * Math.round((side * scale) / 2));
	return { width: even(width), height: even(height) };
}

function readSize(text: string | undefined): Size | undefined {
	const match = /^\s*(\d{1,6})\s*[x×*]\s*(\d{1,6})\s*$/i.exec(text ?? '');
	if (!match) return undefined;
	const [width, height] = [Number(match[1]), Number(match[2])];
	return width > 0 && height > 0 ? limitRatio({ width, height }) : undefined;
}

function readRatio(requested: RequestedSize): Size {
	for (const text of [requested.aspectRatio, requested.size]) {
		const match = /^\s*(\d{1,4}(?:\.\d{1,4})?)\s*[:/]\s*(\d{1,4}(?:\.\d{1,4})?)\s*$/.exec(
			text ?? '',
		);
		const [width, height] = [Number(match?.[1]), Number(match?.[2])];
		if (width > 0 && height > 0) return limitRatio({ width, height });
	}
	return { width: 1, height: 1 };
}

function readResolution(text: string | undefined): number | undefined {
	const name = (text ?? '').trim().toLowerCase();
	const pixels = NAMED_RESOLUTIONS[name] ?? Number(/^(\d{2,5})p?$/.exec(name)?.[1]);
	return pixels > 0 ? pixels : undefined;
}

/** Text on a picture of one row cannot be read. */
function limitRatio({ width, height }: Size): Size {
	return {
		width: Math.min(width, height * MAX_RATIO),
		height: Math.min(height, width * MAX_RATIO),
	};
}

function shrink({ width, height }: Size, maxPixels: number): Size {
	const scale = Math.min(
		1,
		Math.sqrt(maxPixels / (width * height)),
		MAX_SIDE / Math.max(width, height),
	);
	const side = (pixels: number) => Math.max(MIN_SIDE, Math.floor(pixels * scale + 1e-6));
	return scale < 1
		? { width: side(width), height: side(height) }
		: {
				width: Math.max(MIN_SIDE, Math.round(width)),
				height: Math.max(MIN_SIDE, Math.round(height)),
			};
}
