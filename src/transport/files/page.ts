import type { StreamedResponse } from '../http/host';
import { mediaTypeOf } from './mediaTypes';

const MEDIA = /^(image|video|audio)\/(?!svg)/;

const TEXT = /^text\/|[/+](json|xml)$/;

/** Byte order mark and blanks. */
const SKIPPED = new Set([0xef, 0xbb, 0xbf, 0x20, 0x09, 0x0a, 0x0d]);

/** `<` and `{`: no image, video or sound begins with them. */
const BEGINNINGS = new Set<number | undefined>([0x3c, 0x7b]);

/**
 * Whether a response with status 200 is a page in place of the media that the service states, such
 * as a login or an error of the storage: it says that it is text, and begins like a page. Neither by
 * itself is enough, because storage often mislabels its files.
 */
export function isPage(
	{ headers }: Pick<StreamedResponse, 'headers'>,
	stated: string | undefined,
	first: Uint8Array,
): boolean {
	if (!MEDIA.test(stated ?? '') || !TEXT.test(mediaTypeOf(headers['content-type']) ?? '')) {
		return false;
	}
	return BEGINNINGS.has(first.find((byte) => !SKIPPED.has(byte)));
}
