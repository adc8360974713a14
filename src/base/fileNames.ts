/** The longest name, in UTF-8 bytes. File systems allow 255, and other programs add prefixes. */
const MAX_NAME_BYTES = 200;

/** Names that Windows reserves for devices, whatever their extension. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Control characters, and characters with a meaning for shells or file systems. */
// eslint-disable-next-line no-control-regex
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069<>:"|?*]/g;

const bytes = (text: string) => Buffer.byteLength(text, 'utf8');

/** The beginning of a text that has at most so many bytes. No character is cut in two. */
function withinBytes(text: string, max: number): string {
	let size = 0;
	let end = 0;
	for (const character of text) {
		size += bytes(character);
		if (size > max) break;
		end += character.length;
	}
	return text.slice(0, end);
}

/** Shortens a name before its extension. */
function truncate(name: string): string {
	const extension = /(?<=.)\.[^.]{0,15}$/.exec(name)?.[0] ?? '';
	const stem = name.slice(0, name.length - extension.length);
	const shorter = withinBytes(stem, MAX_NAME_BYTES - bytes(extension)) + extension;
	return shorter.replace(/[\s.]+$/, '');
}

/**
 * Of a longer name only so many characters at its beginning and at its end are looked at: whoever sends a
 * file may give it a name of any length.
 */
const MAX_READ = 1_000;

const bounded = (name: string): string =>
	name.length > 2 * MAX_READ ? name.slice(0, MAX_READ) + name.slice(-MAX_READ) : name;

/** A name that is safe in every file system. Empty if nothing of it is left. */
export function safeFileName(text: string): string {
	const folders = Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\'));
	const base = bounded(text.slice(folders + 1));
	const wellFormed = base.replace(/\p{Surrogate}/gu, '');
	const clean = wellFormed.replace(UNSAFE, '').replace(/^[\s.]+|[\s.]+$/g, '');
	return truncate(RESERVED.test(clean) ? `_${clean}` : clean);
}
