/** Longest name in UTF-8 bytes: file systems end at 255, and others put something in front. */
const MOST_BYTES = 200;

/** Names that Windows keeps for devices, whatever their extension. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Control characters, separators and what shells and file systems treat specially. */
// eslint-disable-next-line no-control-regex
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069<>:"|?*]/g;

const bytes = (text: string) => Buffer.byteLength(text, 'utf8');

/** Shortens the stem, so that the extension stays. */
function fit(name: string): string {
	const dot = name.lastIndexOf('.');
	const extension = dot > 0 && name.length - dot <= 16 ? name.slice(dot) : '';
	const stem = [...name.slice(0, name.length - extension.length)];
	while (bytes(stem.join('') + extension) > MOST_BYTES) stem.pop();
	return (stem.join('') + extension).replace(/[\s.]+$/, '');
}

/**
 * A name that is safe as a file name everywhere: the base name only, without control characters, leading dots or
 * reserved names, at most 200 bytes. Empty when nothing is left.
 */
export function safeFileName(text: string): string {
	const base = text.split(/[/\\]/).pop() ?? '';
	const wellFormed = base.replace(/\p{Surrogate}/gu, '');
	const clean = wellFormed.replace(UNSAFE, '').replace(/^[\s.]+|[\s.]+$/g, '');
	return fit(RESERVED.test(clean) ? `_${clean}` : clean);
}
