import { asText } from '../base/types';

/**
 * File extensions of the media that the service accepts and produces. A map of our own: a server
 * must not choose the name.
 */
const EXTENSIONS: Record<string, string> = {
	'image/png': 'png',
	'image/jpeg': 'jpg',
	'image/webp': 'webp',
	'image/gif': 'gif',
	'image/avif': 'avif',
	'image/svg+xml': 'svg',
	'video/mp4': 'mp4',
	'video/webm': 'webm',
	'video/quicktime': 'mov',
	'audio/mpeg': 'mp3',
	'audio/mp3': 'mp3',
	'audio/wav': 'wav',
	'audio/x-wav': 'wav',
	'audio/wave': 'wav',
	'audio/ogg': 'ogg',
	'audio/flac': 'flac',
	'audio/aac': 'aac',
	'audio/mp4': 'm4a',
	'audio/webm': 'weba',
};

const MEDIA_TYPE = /^[a-z]{1,20}\/[a-z0-9.+-]{1,80}$/;

/** The media type without parameters, in lower case; `undefined` if it is not valid. */
export function mediaTypeOf(value: unknown): string | undefined {
	const [bare = ''] = asText(value).split(';');
	const type = bare.trim().toLowerCase();
	return MEDIA_TYPE.test(type) ? type : undefined;
}

/**
 * The file extension, without a dot, of a media type as {@link mediaTypeOf} gives it; `bin` if
 * it is unknown.
 */
export const extensionOf = (mediaType: string): string =>
	Object.hasOwn(EXTENSIONS, mediaType) ? (EXTENSIONS[mediaType] ?? 'bin') : 'bin';
