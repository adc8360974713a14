import { createHash } from 'crypto';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** 128 bits: short enough to store for thousands of items, long enough to be unique. */
export const shortHash = (text: string): string =>
	createHash('sha256').update(text).digest('base64url').slice(0, 22);
