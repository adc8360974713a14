export type MediaKind = 'image' | 'video' | 'music' | 'sfx' | 'speech';

/** What the sandbox asks for. Texts may be nonsense; durations and speeds are any above 0. */
export interface MediaRequest {
	kind: MediaKind;
	/** Written on an image or video; spoken in speech. Any string whatsoever. */
	prompt: string;
	/** The same request with the same seed looks and sounds the same. */
	seed: number;
	/** 0-based number of the output when several were asked for; each looks or sounds different. */
	index: number;
	/** Pixels, such as `1024x768`. */
	size?: string;
	/** Such as `16:9`; ignored where `size` says more. */
	aspectRatio?: string;
	/** Such as `720p` or `2K`: the shorter side of the picture. */
	resolution?: string;
	durationSeconds?: number;
	/** Any id. */
	voice?: string;
	/** 0.5 to 2, default 1. */
	speed?: number;
	/** 0.1 to 10, default 1. */
	volume?: number;
	/** Reference images (PNG, JPEG, WebP), drawn in as thumbnails. Unreadable ones are left out. */
	references?: Buffer[];
	/** Speech in several blocks, each with its own voice; takes the place of the prompt. */
	blocks?: Array<{ text: string; voice?: string }>;
}

/** A finished file. Sizes and durations are those of the file, which may be less than was asked. */
export interface Media {
	bytes: Buffer;
	width?: number;
	height?: number;
	durationSeconds?: number;
}
