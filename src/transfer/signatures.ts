/** What the first bytes of a file say. */
export interface Signature {
	type: string;
	/** Other types that begin in the same way. */
	orElse?: readonly string[];
	/** Whether it is any text: whatever else is known of the file says more. */
	isText?: boolean;
}

const ascii = (head: Uint8Array, from: number, to: number): string =>
	Buffer.from(head.subarray(from, to)).toString('latin1');

const beginsWith = (head: Uint8Array, bytes: readonly number[], at = 0): boolean =>
	bytes.every((byte, index) => head[at + index] === byte);

/** Files that begin with a fixed text. */
const FIXED: ReadonlyArray<[bytes: readonly number[], signature: Signature]> = [
	[[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], { type: 'image/png' }],
	[[0xff, 0xd8, 0xff], { type: 'image/jpeg' }],
	[[0x47, 0x49, 0x46, 0x38], { type: 'image/gif' }],
	// TIFF and BigTIFF, in both orders of bytes.
	[[0x49, 0x49, 0x2a, 0x00], { type: 'image/tiff' }],
	[[0x4d, 0x4d, 0x00, 0x2a], { type: 'image/tiff' }],
	[[0x49, 0x49, 0x2b, 0x00], { type: 'image/tiff' }],
	[[0x4d, 0x4d, 0x00, 0x2b], { type: 'image/tiff' }],
	[[0x38, 0x42, 0x50, 0x53, 0x00, 0x01], { type: 'image/vnd.adobe.photoshop' }],
	[[0xff, 0x0a], { type: 'image/jxl' }],
	[[0x00, 0x00, 0x01, 0x00], { type: 'image/x-icon' }],
	[[0x66, 0x4c, 0x61, 0x43], { type: 'audio/flac' }],
	[[0x25, 0x50, 0x44, 0x46, 0x2d], { type: 'application/pdf' }],
	[[0x00, 0x00, 0x01, 0xba], { type: 'video/mpeg' }],
	[[0x00, 0x00, 0x01, 0xb3], { type: 'video/mpeg' }],
	[[0x46, 0x4c, 0x56, 0x01], { type: 'video/x-flv' }],
	[[0x23, 0x21, 0x41, 0x4d, 0x52], { type: 'audio/amr' }],
];

/** The `ftyp` box of MP4 and its relatives: its brand tells them apart. */
function ofBrand(head: Uint8Array): Signature | undefined {
	// The size of the box, before its name, is never that large: four letters would be.
	if ((head[0] ?? 255) >= 0x20) return undefined;
	const box = ascii(head, 4, 8);
	if (['moov', 'mdat', 'wide', 'free', 'skip', 'pnot'].includes(box))
		return { type: 'video/quicktime', orElse: ['video/mp4', 'audio/mp4'] };
	if (box === 'jP  ') return { type: 'image/jp2' };
	if (box === 'JXL ') return { type: 'image/jxl' };
	if (box !== 'ftyp') return undefined;
	const size = Buffer.from(head).readUInt32BE(0);
	const end = Math.min(head.length, size);
	const brand = ascii(head, 8, 12);
	const compatible = ascii(head, 16, end);
	if (/^(avif|avis)/.test(brand)) return { type: 'image/avif' };
	if (/^(heic|heix|hevc|hevx|heim|heis)/.test(brand))
		return { type: 'image/heic', orElse: ['image/heif'] };
	if (/^(mif1|msf1|mif2)/.test(brand)) {
		if (/avif|avis/.test(compatible)) return { type: 'image/avif', orElse: ['image/heif'] };
		const isHeic = /heic|heix/.test(compatible);
		return isHeic
			? { type: 'image/heic', orElse: ['image/heif'] }
			: { type: 'image/heif', orElse: ['image/heic'] };
	}
	if (/^M4[AB]/.test(brand)) return { type: 'audio/mp4', orElse: ['video/mp4'] };
	if (brand === 'crx ') return { type: 'image/x-canon-cr3' };
	if (brand === 'qt  ') return { type: 'video/quicktime' };
	if (brand.startsWith('3g2')) return { type: 'video/3gpp2', orElse: ['video/mp4', 'audio/mp4'] };
	if (brand.startsWith('3gp')) return { type: 'video/3gpp', orElse: ['video/mp4', 'audio/mp4'] };
	return { type: 'video/mp4', orElse: ['audio/mp4', 'video/quicktime'] };
}

function ofContainer(head: Uint8Array): Signature | undefined {
	const start = ascii(head, 0, 4);
	if (start === 'RIFF' || start === 'RF64') {
		const forms: Record<string, string> = {
			WAVE: 'audio/wav',
			WEBP: 'image/webp',
			'AVI ': 'video/x-msvideo',
		};
		const type = forms[ascii(head, 8, 12)];
		return type === undefined ? undefined : { type };
	}
	if (start === 'FORM' && /^AIF[FC]/.test(ascii(head, 8, 12))) return { type: 'audio/aiff' };
	if (start === 'OggS') {
		const first = ascii(head, 28, 64);
		if (first.includes('theora')) return { type: 'video/ogg' };
		return { type: 'audio/ogg', orElse: ['audio/opus', 'video/ogg'] };
	}
	// EBML: its document type comes within the first bytes.
	if (beginsWith(head, [0x1a, 0x45, 0xdf, 0xa3])) {
		return ascii(head, 4, 64).includes('webm')
			? { type: 'video/webm', orElse: ['audio/webm'] }
			: { type: 'video/x-matroska', orElse: ['audio/x-matroska', 'video/webm', 'audio/webm'] };
	}
	return undefined;
}

/** A bitmap: its two letters could begin a text, so the size of its second header is looked at too. */
const isBitmap = (head: Uint8Array): boolean =>
	ascii(head, 0, 2) === 'BM' &&
	head.length >= 18 &&
	[12, 40, 52, 56, 64, 108, 124].includes(Buffer.from(head).readUInt32LE(14));

/** Frames of MPEG audio and AAC begin with eleven or twelve bits that are set, and few texts do. */
function ofFrame(head: Uint8Array): Signature | undefined {
	const [first = 0, second = 0, third = 0] = head;
	if (first !== 0xff || (second & 0xe0) !== 0xe0) return undefined;
	const layer = (second >> 1) & 3;
	const isAdts = layer === 0 && (second & 0xf0) === 0xf0;
	if (isAdts) return ((third >> 2) & 15) < 13 ? { type: 'audio/aac' } : undefined;
	const isValid = (second & 0x18) !== 0x08 && third >> 4 !== 15 && ((third >> 2) & 3) !== 3;
	return isValid && (layer === 1 || layer === 2) ? { type: 'audio/mpeg' } : undefined;
}

/** A tag before sound: what comes after it says more, where it is short enough. */
function ofTagged(head: Uint8Array): Signature | undefined {
	if (ascii(head, 0, 3) !== 'ID3') return undefined;
	const [a = 0, b = 0, c = 0, d = 0] = head.subarray(6, 10);
	const length = 10 + ((a & 127) << 21) + ((b & 127) << 14) + ((c & 127) << 7) + (d & 127);
	const sound = head.subarray(length);
	const others = ['audio/aac', 'audio/flac', 'audio/wav', 'audio/aiff'];
	return ofFixed(sound) ?? ofFrame(sound) ?? { type: 'audio/mpeg', orElse: others };
}

const ofFixed = (head: Uint8Array): Signature | undefined =>
	FIXED.find(([bytes]) => beginsWith(head, bytes))?.[1];

/** Bytes as a text, without a byte order mark. */
function textOf(head: Uint8Array): string {
	const buffer = Buffer.from(head);
	const isWide = beginsWith(head, [0xff, 0xfe]) || beginsWith(head, [0xfe, 0xff]);
	if (!isWide) return buffer.toString('utf8').replace(/^\ufeff/, '');
	const even = Buffer.from(buffer.subarray(2, buffer.length - (buffer.length % 2)));
	return (head[0] === 0xfe ? even.swap16() : even).toString('utf16le');
}

/** Whether a text has no character that only other files have. The last one may be cut. */
const isClean = (text: string): boolean =>
	// eslint-disable-next-line no-control-regex
	!/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]|\ufffd(?!$)/.test(text);

/** Comments and declarations that may come before the root of markup. */
const PROLOGUE = /^\s*(<\?[^>]*>|<!--[\s\S]*?-->)/;

function ofMarkup(text: string): Signature | undefined {
	let rest = text;
	for (let found = PROLOGUE.exec(rest); found; found = PROLOGUE.exec(rest)) {
		rest = rest.slice(found[0].length);
	}
	const isXml = /^\s*<\?xml/i.test(text);
	const [, declared, root] =
		/^\s*<(?:!doctype\s+([\w:-]+)|([a-z][\w:.-]*)(?=[\s/>]|$))/i.exec(rest) ?? [];
	const name = (declared ?? root ?? '').toLowerCase();
	if (name === '') return isXml ? { type: 'application/xml' } : undefined;
	if (/^(\w+:)?svg$/.test(name)) return { type: 'image/svg+xml' };
	return { type: HTML.has(name) ? 'text/html' : 'application/xml' };
}

/** Elements that a page begins with. */
const HTML = new Set(
	'html head body title meta link script style base main div p center h1 h2 h3 pre font table form a'.split(
		' ',
	),
);

/** The beginning of an object, or of a list of objects, lists or texts. Lyrics may begin with `[00:01]`. */
const JSON_START = /^\s*(\{\s*("|\}\s*$)|\[\s*([{["]|\]\s*$))/;

function ofText(head: Uint8Array): Signature | undefined {
	const text = textOf(head);
	// In whatever encoding: what a page begins with is ASCII nearly everywhere.
	const written = ofMarkup(text);
	if (written) return written;
	if (JSON_START.test(text)) return { type: 'application/json' };
	return text.trim() !== '' && isClean(text) ? { type: 'text/plain', isText: true } : undefined;
}

/** What the first bytes of a file say; `undefined` if nothing. */
export function signatureOf(head: Uint8Array): Signature | undefined {
	if (head.length === 0) return undefined;
	const binary = ofFixed(head) ?? ofContainer(head) ?? ofBrand(head) ?? ofTagged(head);
	if (binary) return binary;
	if (isBitmap(head)) return { type: 'image/bmp' };
	return ofFrame(head) ?? ofText(head);
}
