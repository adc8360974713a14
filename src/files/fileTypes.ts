/* eslint-disable no-control-regex -- what files begin with, as bytes */
import { asText } from '../base/types';
import { SOUND_FRAME, hasFrames } from './mpegAudio';

/*
 * What a file is. One table and one function (`detect`) tell it of files that are sent and of files that
 * come. If it is known how the files of a type begin, the stated type never counts against the bytes.
 */

/**
 * A type of file. The first of its extensions is that of new files; the aliases are other names of the type.
 */
interface FileType {
	extensions: readonly string[];
	aliases?: readonly string[];
	/** How its files begin, in the characters of latin1. */
	bytes?: RegExp;
	/**
	 * Another way in which its files may begin. It counts only if the type is stated or the name tells it.
	 */
	orElse?: RegExp;
	/**
	 * A pattern of files with something before their usual beginning. It counts only if nothing else is known
	 * of the bytes.
	 */
	within?: { test(head: string): boolean };
}

/**
 * A box of MP4 and related formats. It does not always tell which of them a file is, and whether it has only
 * sound.
 */
const BOX =
	/^[\0-\x1f][^]{3}(?:ftyp(?!avi[fs]|he[iv]|mi[fx]|msf|crx|qt)|styp|moof|sidx|emsg|uuid|moov|mdat|wide|free|skip|pnot)/;

/** The beginning of Matroska and WebM. */
const EBML = /^\x1aE\xdf\xa3/;

const OGG = /^OggS(?![^]{24,60}?theora)/;

/** The beginning of Windows Media files. */
const ASF = /^0&\xb2u\x8ef\xcf\x11/;

/** A tag (ID3), which may stand before sound of any type. */
const TAGGED = /^ID3/;

const FILE_TYPES: Record<string, FileType> = {
	'image/png': { extensions: ['png'], aliases: ['image/x-png'], bytes: /^\x89PNG\r\n\x1a\n/ },
	'image/jpeg': {
		extensions: ['jpg', 'jpeg', 'jpe', 'jfif', 'pjpeg'],
		aliases: ['image/jpg', 'image/jpe', 'image/jfif', 'image/pjpeg', 'image/x-jpg'],
		bytes: /^\xff\xd8\xff/,
	},
	'image/gif': { extensions: ['gif'], bytes: /^GIF8/ },
	'image/webp': { extensions: ['webp'], aliases: ['image/x-webp'], bytes: /^RIFF[^]{4}WEBP/ },
	'image/avif': {
		extensions: ['avif', 'avifs'],
		bytes: /^[^]{4}ftyp(?:avi[fs]|(?:mif[12]|msf1)[^]{4}(?:[^]{4}){0,12}?avi[fs])/,
	},
	'image/heic': {
		extensions: ['heic', 'heics'],
		aliases: ['image/heic-sequence'],
		bytes: /^[^]{4}ftyp(?:hei[cmsx]|hev[cx]|(?:mif[12]|msf1)[^]{4}(?:[^]{4}){0,12}?hei[cx])/,
		orElse: /^[^]{4}ftyp(?:mif[12]|msf1)/,
	},
	'image/heif': {
		extensions: ['heif', 'heifs', 'hif'],
		aliases: ['image/heif-sequence'],
		bytes: /^[^]{4}ftyp(?:mif[12]|msf1)/,
		orElse: /^[^]{4}ftyp(?:hei[cmsx]|hev[cx])/,
	},
	'image/tiff': {
		extensions: ['tiff', 'tif'],
		aliases: ['image/tif', 'image/x-tif', 'image/x-tiff'],
		bytes: /^(?:II[*+]\0|MM\0[*+])/,
	},
	'image/bmp': {
		extensions: ['bmp', 'dib'],
		aliases: ['image/x-bmp', 'image/x-ms-bmp', 'image/x-windows-bmp', 'image/ms-bmp'],
		bytes: /^BM[^]{12}[\x0c\x10\x28\x34\x38\x40\x6c\x7c]\0\0\0/,
	},
	'image/svg+xml': { extensions: ['svg'], aliases: ['image/svg', 'image/svg-xml'] },
	'image/x-icon': {
		extensions: ['ico'],
		aliases: ['image/vnd.microsoft.icon', 'image/ico'],
		bytes: /^\0\0[\x01\x02]\0/,
	},
	'image/jxl': { extensions: ['jxl'], bytes: /^(?:\xff\x0a|\0\0\0\x0cJXL )/ },
	'image/jp2': {
		extensions: ['jp2'],
		aliases: ['image/jpeg2000'],
		bytes: /^(?:\0\0\0\x0cjP {2}|\xff\x4f\xff\x51)/,
	},
	'image/vnd.adobe.photoshop': {
		extensions: ['psd'],
		aliases: ['image/psd', 'image/x-psd', 'image/photoshop', 'application/x-photoshop'],
		bytes: /^8BPS/,
	},
	'image/x-canon-cr3': { extensions: ['cr3'], bytes: /^[^]{4}ftypcrx / },
	'video/mp4': {
		extensions: ['mp4', 'm4v', 'mpg4'],
		aliases: ['application/mp4', 'video/x-m4v', 'video/x-mp4'],
		bytes:
			/^[\0-\x1f][^]{3}(?:ftyp(?!avi[fs]|he[iv]|mi[fx]|msf|crx|qt|M4[AB]|3g)|styp|moof|sidx|emsg|uuid)/,
		orElse: BOX,
	},
	'video/quicktime': {
		extensions: ['mov', 'qt'],
		aliases: ['video/mov', 'video/x-quicktime'],
		bytes: /^[\0-\x1f][^]{3}(?:ftypqt|moov|mdat|wide|free|skip|pnot)/,
		orElse: BOX,
	},
	'video/webm': {
		extensions: ['webm'],
		aliases: ['video/x-webm'],
		bytes: /^\x1aE\xdf\xa3[^]{0,60}?webm/,
		orElse: EBML,
	},
	'video/x-matroska': {
		extensions: ['mkv'],
		aliases: ['video/matroska', 'video/mkv', 'application/x-matroska'],
		bytes: EBML,
	},
	'video/x-msvideo': {
		extensions: ['avi'],
		aliases: ['video/avi', 'video/msvideo', 'video/vnd.avi', 'application/x-troff-msvideo'],
		bytes: /^RIFF[^]{4}AVI /,
	},
	'video/mpeg': {
		extensions: ['mpg', 'mpeg', 'mpe', 'm1v', 'm2v'],
		aliases: ['video/mpg', 'video/x-mpeg'],
		bytes: /^\0\0\x01[\xb3\xba]/,
	},
	'video/mp2t': {
		extensions: ['ts', 'm2ts', 'mts'],
		bytes: /^(?:[^]{4})?G[^]{187}(?:[^]{4})?G[^]{187}(?:[^]{4})?G/,
	},
	'video/ogg': {
		extensions: ['ogv'],
		aliases: ['video/x-ogg'],
		bytes: /^OggS[^]{24,60}?theora/,
		orElse: OGG,
	},
	'video/3gpp': { extensions: ['3gp', '3gpp'], bytes: /^[^]{4}ftyp3g[^2]/ },
	'video/3gpp2': { extensions: ['3g2'], bytes: /^[^]{4}ftyp3g2/ },
	'video/x-flv': { extensions: ['flv'], aliases: ['video/flv'], bytes: /^FLV\x01/ },
	'video/x-ms-wmv': { extensions: ['wmv'], aliases: ['video/x-ms-asf'], bytes: ASF },
	'audio/mpeg': {
		extensions: ['mp3', 'mpga', 'mp2'],
		aliases: [
			'audio/mp3',
			'audio/x-mp3',
			'audio/mpg',
			'audio/mpeg3',
			'audio/x-mpeg',
			'audio/x-mpeg-3',
			'audio/x-mpegaudio',
		],
		bytes: new RegExp(`^(?:ID3|${SOUND_FRAME.source})`),
		within: { test: hasFrames },
	},
	'audio/wav': {
		extensions: ['wav', 'wave'],
		aliases: ['audio/x-wav', 'audio/wave', 'audio/vnd.wave', 'audio/x-pn-wav'],
		bytes: /^(?:RIFF|RF64|RIFX|BW64)[^]{4}WAVE/,
		orElse: TAGGED,
	},
	'audio/mp4': {
		extensions: ['m4a', 'm4b', 'mp4a', 'mp4'],
		aliases: ['audio/m4a', 'audio/x-m4a', 'audio/x-mp4'],
		bytes: /^[^]{4}ftypM4[AB]/,
		orElse: BOX,
	},
	'audio/aac': {
		extensions: ['aac', 'adts'],
		aliases: ['audio/x-aac', 'audio/aacp', 'audio/x-hx-aac-adts', 'audio/vnd.dlna.adts'],
		bytes: /^(?:\xff[\xf0\xf1\xf8\xf9][\0-\x33\x40-\x73\x80-\xb3\xc0-\xf3]|ADIF)/,
		orElse: TAGGED,
	},
	'audio/flac': { extensions: ['flac'], aliases: ['audio/x-flac'], bytes: /^fLaC/, orElse: TAGGED },
	'audio/ogg': {
		extensions: ['ogg', 'oga', 'spx', 'opus'],
		aliases: ['audio/x-ogg', 'application/ogg', 'application/x-ogg', 'audio/vorbis'],
		bytes: OGG,
	},
	'audio/opus': { extensions: ['opus', 'ogg', 'oga'], aliases: ['audio/x-opus'], orElse: OGG },
	'audio/webm': { extensions: ['weba', 'webm'], orElse: EBML },
	'audio/x-matroska': { extensions: ['mka', 'mkv'], aliases: ['audio/matroska'], orElse: EBML },
	'audio/aiff': {
		extensions: ['aiff', 'aif', 'aifc'],
		aliases: ['audio/x-aiff'],
		bytes: /^FORM[^]{4}AIF[CF]/,
		orElse: TAGGED,
	},
	'audio/amr': { extensions: ['amr'], bytes: /^#!AMR/ },
	'audio/x-ms-wma': { extensions: ['wma'], orElse: ASF },
	'audio/x-caf': { extensions: ['caf'], bytes: /^caff/ },
	'audio/midi': {
		extensions: ['mid', 'midi'],
		aliases: ['audio/x-midi', 'audio/mid'],
		bytes: /^(?:MThd|RIFF[^]{4}RMID)/,
	},
	'audio/basic': { extensions: ['au', 'snd'], bytes: /^\.snd/ },
	'audio/pcm': { extensions: ['pcm'], aliases: ['audio/l16', 'audio/x-pcm'] },
	'application/pdf': {
		extensions: ['pdf'],
		aliases: ['application/x-pdf'],
		bytes: /^%PDF-/,
		within: /^[^]{0,1000}?%PDF-/,
	},
	'application/zip': {
		extensions: ['zip'],
		aliases: ['application/x-zip', 'application/x-zip-compressed'],
		bytes: /^PK(?:\x03\x04|\x05\x06|\x07\x08)/,
	},
	'application/gzip': {
		extensions: ['gz'],
		aliases: ['application/x-gzip'],
		bytes: /^\x1f\x8b\x08/,
	},
	'application/x-7z-compressed': { extensions: ['7z'], bytes: /^7z\xbc\xaf\x27\x1c/ },
	'application/vnd.rar': {
		extensions: ['rar'],
		aliases: ['application/x-rar-compressed'],
		bytes: /^Rar!\x1a\x07/,
	},
	'application/x-tar': { extensions: ['tar'], bytes: /^[^]{257}ustar/ },
	'model/gltf-binary': { extensions: ['glb'], bytes: /^glTF/ },
	'text/html': { extensions: ['html', 'htm'], aliases: ['application/xhtml+xml'] },
	'application/xml': { extensions: ['xml'], aliases: ['text/xml'] },
	'application/json': { extensions: ['json'], aliases: ['text/json', 'application/x-json'] },
	'text/vtt': { extensions: ['vtt'] },
	'application/x-subrip': {
		extensions: ['srt'],
		aliases: ['text/srt', 'application/srt', 'text/x-srt'],
	},
	'text/csv': { extensions: ['csv'] },
	'text/markdown': { extensions: ['md'], aliases: ['text/x-markdown'] },
	'text/plain': { extensions: ['txt', 'text', 'log'] },
};

/** The type of a file of which nothing is known. */
const UNKNOWN = 'application/octet-stream';

/** Types that storages and browsers state if they do not know the type. */
const NO_STATEMENT = new Set([
	UNKNOWN,
	'binary/octet-stream',
	'application/binary',
	'application/x-binary',
	'application/download',
	'application/x-download',
	'application/force-download',
	'application/unknown',
	'application/x-unknown-content-type',
	'unknown/unknown',
]);

const BY_ALIAS = new Map(
	Object.entries(FILE_TYPES).flatMap(([type, { aliases = [] }]) =>
		aliases.map((alias) => [alias, type] as const),
	),
);

/**
 * The type for each extension. If several types have an extension, the first of them counts, such as the
 * video for `mp4`.
 */
const BY_EXTENSION = new Map(
	Object.entries(FILE_TYPES)
		.flatMap(([type, { extensions }]) => extensions.map((extension) => [extension, type] as const))
		.reverse(),
);

const MEDIA_TYPE = /^[a-z]{1,20}\/[a-z0-9.+-]{1,80}$/;

/** A stated type without parameters and under its usual name; `undefined` if nothing of use is stated. */
export function statedType(value: unknown): string | undefined {
	const [bare = ''] = asText(value).split(';');
	const type = bare.trim().toLowerCase();
	if (!MEDIA_TYPE.test(type) || NO_STATEMENT.has(type)) return undefined;
	return BY_ALIAS.get(type) ?? type;
}

const EXTENSION = /\.([a-z0-9]{1,10})$/i;

/** The type that the extension of a name tells; `undefined` if it has no known extension. */
export const typeOfName = (name: string): string | undefined =>
	BY_EXTENSION.get(EXTENSION.exec(name.trim())?.[1]?.toLowerCase() ?? '');

/** The extension of a new file, without a dot. It is always one of the table: a server must not choose it. */
export const extensionOf = (type: string): string =>
	(Object.hasOwn(FILE_TYPES, type) ? FILE_TYPES[type]?.extensions[0] : undefined) ?? 'bin';

function hasExtensionOf(name: string, type: string): boolean {
	const extension = EXTENSION.exec(name)?.[1]?.toLowerCase() ?? '';
	return FILE_TYPES[type]?.extensions.includes(extension) ?? false;
}

/** A name with an extension that tells the type. A known extension of another type is replaced. */
export function nameOfType(name: string, type: string): string {
	if (!Object.hasOwn(FILE_TYPES, type) || hasExtensionOf(name, type)) return name;
	const isWrong = typeOfName(name) !== undefined || /\.bin$/i.test(name);
	const stem = isWrong ? name.replace(EXTENSION, '') : name;
	return `${stem}.${extensionOf(type)}`;
}

/** SVG is text, which its root element tells. */
const SVG = 'image/svg+xml';

/** So many bytes of a file are looked at. A drawing may begin with a long comment. */
export const HEAD_BYTES = 65_536;

/** Types in which logins and errors of a storage are written. */
const PAGES = new Set(['text/html', 'application/xml', 'application/json']);

/**
 * Whether files of a type are text, such as subtitles, lyrics or data. They may look like a page and are
 * none.
 */
const isWritten = (type = ''): boolean =>
	/^text\/|[/+](json|xml)$/.test(type) || type === 'application/x-subrip';

/** Types that contain other files and are no media. */
const ARCHIVES = new Set([
	'application/zip',
	'application/gzip',
	'application/x-7z-compressed',
	'application/vnd.rar',
	'application/x-tar',
]);

/** Whether it is known how the files of a type begin. */
const hasBytes = (type: string): boolean =>
	type === SVG ||
	(Object.hasOwn(FILE_TYPES, type) &&
		(FILE_TYPES[type]?.bytes ?? FILE_TYPES[type]?.orElse) !== undefined);

/** The bytes after a tag, if the tag is short enough; otherwise all bytes. */
function withoutTag(head: string): string {
	if (!TAGGED.test(head)) return head;
	// The length of the tag is in four bytes, of seven bits each.
	const length = [...head.slice(6, 10)].reduce(
		(sum, byte) => (sum << 7) | (byte.charCodeAt(0) & 127),
		0,
	);
	const sound = head.slice(10 + length);
	return sound === '' ? head : sound;
}

/** The types whose pattern fits the bytes, the most likely one first. */
const typesThat = (begin: 'bytes' | 'orElse' | 'within', head: string): string[] =>
	Object.keys(FILE_TYPES).filter((type) => FILE_TYPES[type]?.[begin]?.test(head));

/** Bytes as text, without a byte order mark. */
function decoded(head: Buffer): string {
	const mark = head.length > 1 ? head.readUInt16BE(0) : 0;
	if (mark !== 0xfffe && mark !== 0xfeff) return head.toString('utf8').replace(/^\ufeff/, '');
	const even = Buffer.from(head.subarray(2, head.length - (head.length % 2)));
	return (mark === 0xfeff ? even.swap16() : even).toString('utf16le');
}

/** Whether a text has only characters that occur in text files. The last one may be cut in two. */
const isClean = (text: string): boolean =>
	!/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]|\ufffd(?!$)/.test(text);

/**
 * What may stand before the root of markup: a declaration or a comment, to its end or to the end of the
 * bytes.
 */
const PROLOGUE = /\s*(?:<\?[^]*?(?:\?>|$)|<!--[^]*?(?:-->|$))/y;

/** Elements with which a page may begin. */
const HTML = new Set(
	'html head body title meta link script style base main div p center h1 h2 h3 pre font table form a'.split(
		' ',
	),
);

/** The types that a text may be if it is markup; none if it is not. */
function typesOfMarkup(text: string): string[] {
	let end = 0;
	for (PROLOGUE.lastIndex = 0; PROLOGUE.test(text);) end = PROLOGUE.lastIndex;
	// There are only comments, so the root is unknown.
	if (end > 0 && end === text.length) return ['application/xml', SVG];
	const [, declared, root] =
		/^\s*<(?:!doctype\s+([\w:-]+)|([a-z][\w:.-]*)(?=[\s/>]|$))/i.exec(text.slice(end)) ?? [];
	const name = (declared ?? root ?? '').toLowerCase();
	if (/^(\w+:)?svg$/.test(name)) return [SVG];
	if (HTML.has(name)) return ['text/html'];
	return name !== '' || /^\s*<\?xml/i.test(text) ? ['application/xml'] : [];
}

/**
 * The beginning of a JSON object, or of a list of objects, lists or texts. A list of numbers does not count,
 * because lyrics may begin with `[00:01]`.
 */
const JSON_START = /^\s*(\{\s*("|\}\s*$)|\[\s*([{["]|\]\s*$))/;

/**
 * The types that a text may be. It does not need to know the encoding, because a page begins with characters
 * that are the same in nearly all of them.
 */
function typesOfText(text: string): string[] {
	const markup = typesOfMarkup(text);
	if (markup.length > 0) return markup;
	return JSON_START.test(text) ? ['application/json'] : [];
}

/** What a file is called that came in place of media. */
const CALLED: Record<string, string> = {
	'text/html': 'an HTML page',
	'application/xml': 'an XML document',
	'application/json': 'a JSON document',
	'text/plain': 'text',
};

/** What a page is called; `undefined` for every other type. */
const pageInWords = (type = ''): string | undefined => (PAGES.has(type) ? CALLED[type] : undefined);

/** U+FFFD in UTF-8, in the characters of latin1. */
const REPLACED = '\xef\xbf\xbd';

/** What bytes are called that are no media. */
function bytesInWords(type: string | undefined, head: string): string {
	if (type !== undefined) return CALLED[type] ?? 'an archive';
	return head.includes(REPLACED)
		? 'what is left of it after it was read as text'
		: 'something else';
}

/** What else is known of a file, besides its bytes. */
export interface Stated {
	/** The stated types, the most trusted one first. */
	types: readonly unknown[];
	/** The name of the file, or the path of its link. */
	name?: string;
}

/** What a file is. */
export interface Detected {
	/** The usual name of its media type. */
	type: string;
	/**
	 * What kind of page it is, in words: HTML, XML or JSON; `undefined` if it is none. An SVG drawing is no
	 * page.
	 */
	page?: string;
	/** What is wrong if its bytes are not of the stated type. */
	problem?: string;
}

/**
 * Tells what a file is: by its first bytes, else by the stated type, else by its name. If the bytes fit
 * several types, such as a container with or without a picture, the stated type or that of the name decides
 * between them. A picture of another type than the stated one is what its bytes say. A file that is stated to
 * be media and does not begin like any has a problem.
 * @param head the first {@link HEAD_BYTES} bytes, or all of a shorter file
 */
export function detect(head: Uint8Array, { types, name = '' }: Stated): Detected {
	const named = typeOfName(name);
	const stated = types.map(statedType).find((type) => type !== undefined);
	const claims = [stated, named];
	const claim = claims.find((type) => type !== undefined);
	const bytes = Buffer.from(head);
	const latin = bytes.toString('latin1');
	// If the sound after a tag is known, the tag tells nothing more.
	const sound = withoutTag(latin);
	const start = typesThat('bytes', sound).length > 0 ? sound : latin;
	const begins = typesThat('bytes', start);
	const text = begins.length === 0 ? decoded(bytes) : '';
	const found = [...begins, ...typesOfText(text)];
	const later = found.length === 0 ? typesThat('within', latin) : [];
	const possible = new Set<string | undefined>([...found, ...typesThat('orElse', start), ...later]);
	const likely = claims.find((type) => possible.has(type)) ?? found[0];
	const isMedium = likely !== undefined && !ARCHIVES.has(likely) && !PAGES.has(likely);
	if (isMedium) return { type: likely };
	const isText = text.trim() !== '' && isClean(text);
	const is = likely ?? (isText ? 'text/plain' : undefined);
	// If the bytes are known to be something else, neither the stated type nor that of the name is right.
	const saying = is === undefined ? [claim] : claims;
	const wrong = saying.find((type) => type !== undefined && type !== is && hasBytes(type));
	if (wrong !== undefined) {
		const problem = `says ${wrong}, is ${bytesInWords(is, latin)}`;
		return { type: is ?? UNKNOWN, page: pageInWords(is), problem };
	}
	const page = pageInWords(is);
	if (page !== undefined) return { type: claims.find(isWritten) ?? is ?? UNKNOWN, page };
	return { type: claim ?? is ?? UNKNOWN, page: pageInWords(claim) };
}

/** Whether a text type is stated, whose files may look like a page. */
export const isStatedAsText = (value: unknown): boolean => isWritten(statedType(value));
