import { createHash } from 'crypto';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** At least 128 bits: short enough to store for thousands of items, long enough to be unique. */
export function shortHash(text: string): string {
	const bytes = Buffer.from(createHash('sha256').update(text).digest('base64url'));
	// `slice` of the text would be shorter, but V8 keeps a whole text as long as a part of it is used.
	return bytes.toString('latin1', 0, 22);
}
