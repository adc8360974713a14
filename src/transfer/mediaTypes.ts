import { asText } from '../base/types';
import { signatureOf } from './signatures';

/**
 * Every type of file that the package knows: its extensions, the first of which names new files, and
 * what others call it.
 */
interface Known {
	extensions: readonly string[];
	aliases?: readonly string[];
}

const KNOWN: Record<string, Known> = {
	'image/png': { extensions: ['png'], aliases: ['image/x-png'] },
	'image/jpeg': {
		extensions: ['jpg', 'jpeg', 'jpe', 'jfif', 'pjpeg'],
		aliases: ['image/jpg', 'image/jpe', 'image/jfif', 'image/pjpeg', 'image/x-jpg'],
	},
	'image/gif': { extensions: ['gif'] },
	'image/webp': { extensions: ['webp'], aliases: ['image/x-webp'] },
	'image/avif': { extensions: ['avif', 'avifs'] },
	'image/heic': { extensions: ['heic', 'heics'], aliases: ['image/heic-sequence'] },
	'image/heif': { extensions: ['heif', 'heifs', 'hif'], aliases: ['image/heif-sequence'] },
	'image/tiff': {
		extensions: ['tiff', 'tif'],
		aliases: ['image/tif', 'image/x-tif', 'image/x-tiff'],
	},
	'image/bmp': {
		extensions: ['bmp', 'dib'],
		aliases: ['image/x-bmp', 'image/x-ms-bmp', 'image/x-windows-bmp', 'image/ms-bmp'],
	},
	'image/svg+xml': { extensions: ['svg'], aliases: ['image/svg', 'image/svg-xml'] },
	'image/x-icon': { extensions: ['ico'], aliases: ['image/vnd.microsoft.icon', 'image/ico'] },
	'image/jxl': { extensions: ['jxl'] },
	'image/jp2': { extensions: ['jp2'], aliases: ['image/jpeg2000'] },
	'image/vnd.adobe.photoshop': {
		extensions: ['psd'],
		aliases: ['image/psd', 'image/x-psd', 'image/photoshop', 'application/x-photoshop'],
	},
	'video/mp4': {
		extensions: ['mp4', 'm4v', 'mpg4'],
		aliases: ['application/mp4', 'video/x-m4v', 'video/x-mp4'],
	},
	'video/quicktime': { extensions: ['mov', 'qt'], aliases: ['video/mov', 'video/x-quicktime'] },
	'video/webm': { extensions: ['webm'], aliases: ['video/x-webm'] },
	'video/x-matroska': {
		extensions: ['mkv'],
		aliases: ['video/matroska', 'video/mkv', 'application/x-matroska'],
	},
	'video/x-msvideo': {
		extensions: ['avi'],
		aliases: ['video/avi', 'video/msvideo', 'video/vnd.avi', 'application/x-troff-msvideo'],
	},
	'video/mpeg': {
		extensions: ['mpg', 'mpeg', 'mpe', 'm1v', 'm2v'],
		aliases: ['video/mpg', 'video/x-mpeg'],
	},
	'video/mp2t': { extensions: ['ts', 'm2ts', 'mts'] },
	'video/ogg': { extensions: ['ogv'], aliases: ['video/x-ogg'] },
	'video/3gpp': { extensions: ['3gp', '3gpp'] },
	'video/3gpp2': { extensions: ['3g2'] },
	'video/x-flv': { extensions: ['flv'], aliases: ['video/flv'] },
	'video/x-ms-wmv': { extensions: ['wmv'], aliases: ['video/x-ms-asf'] },
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
	},
	'audio/wav': {
		extensions: ['wav', 'wave'],
		aliases: ['audio/x-wav', 'audio/wave', 'audio/vnd.wave', 'audio/x-pn-wav'],
	},
	'audio/mp4': {
		extensions: ['m4a', 'm4b', 'mp4a', 'mp4'],
		aliases: ['audio/m4a', 'audio/x-m4a', 'audio/x-mp4'],
	},
	'audio/aac': {
		extensions: ['aac', 'adts'],
		aliases: ['audio/x-aac', 'audio/aacp', 'audio/x-hx-aac-adts', 'audio/vnd.dlna.adts'],
	},
	'audio/flac': { extensions: ['flac'], aliases: ['audio/x-flac'] },
	'audio/ogg': {
		extensions: ['ogg', 'oga', 'spx', 'opus'],
		aliases: ['audio/x-ogg', 'application/ogg', 'application/x-ogg', 'audio/vorbis'],
	},
	'audio/opus': { extensions: ['opus', 'ogg', 'oga'], aliases: ['audio/x-opus'] },
	'audio/webm': { extensions: ['weba', 'webm'] },
	'audio/x-matroska': { extensions: ['mka', 'mkv'], aliases: ['audio/matroska'] },
	'audio/aiff': { extensions: ['aiff', 'aif', 'aifc'], aliases: ['audio/x-aiff'] },
	'audio/amr': { extensions: ['amr'] },
	'audio/x-ms-wma': { extensions: ['wma'] },
	'audio/x-caf': { extensions: ['caf'] },
	'audio/midi': { extensions: ['mid', 'midi'], aliases: ['audio/x-midi', 'audio/mid'] },
	'audio/basic': { extensions: ['au', 'snd'] },
	'audio/pcm': { extensions: ['pcm'], aliases: ['audio/l16', 'audio/x-pcm'] },
	'application/pdf': { extensions: ['pdf'], aliases: ['application/x-pdf'] },
	'application/zip': {
		extensions: ['zip'],
		aliases: ['application/x-zip', 'application/x-zip-compressed'],
	},
	'model/gltf-binary': { extensions: ['glb'] },
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

/** Says nothing about a file. */
const UNKNOWN = 'application/octet-stream';

/** What storages and browsers state where they do not know. */
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
	Object.entries(KNOWN).flatMap(([type, { aliases = [] }]) =>
		aliases.map((alias) => [alias, type] as const),
	),
);

/** An extension of several types means the first of them, such as the video of `mp4`. */
const BY_EXTENSION = new Map(
	Object.entries(KNOWN)
		.flatMap(([type, { extensions }]) => extensions.map((extension) => [extension, type] as const))
		.reverse(),
);

const MEDIA_TYPE = /^[a-z]{1,20}\/[a-z0-9.+-]{1,80}$/;

/**
 * The type that is stated, without parameters and under its usual name; `undefined` if nothing is
 * stated that is of use.
 */
export function statedType(value: unknown): string | undefined {
	const [bare = ''] = asText(value).split(';');
	const type = bare.trim().toLowerCase();
	if (!MEDIA_TYPE.test(type) || NO_STATEMENT.has(type)) return undefined;
	return BY_ALIAS.get(type) ?? type;
}

const EXTENSION = /\.([a-z0-9]{1,10})$/i;

/** What the extension of a file name says; `undefined` if it has none that is known. */
export const typeOfName = (name: string): string | undefined =>
	BY_EXTENSION.get(EXTENSION.exec(name.trim())?.[1]?.toLowerCase() ?? '');

/** The extension of a new file, without a dot. From this map only: a server must not choose it. */
export const extensionOf = (type: string): string =>
	(Object.hasOwn(KNOWN, type) ? KNOWN[type]?.extensions[0] : undefined) ?? 'bin';

function hasExtensionOf(name: string, type: string): boolean {
	const extension = EXTENSION.exec(name)?.[1]?.toLowerCase() ?? '';
	return KNOWN[type]?.extensions.includes(extension) ?? false;
}

/** A name with an extension that tells the type: a known one that is wrong is replaced. */
export function nameOfType(name: string, type: string): string {
	if (!Object.hasOwn(KNOWN, type) || hasExtensionOf(name, type)) return name;
	const isWrong = typeOfName(name) !== undefined || /\.bin$/i.test(name);
	const stem = isWrong ? name.replace(EXTENSION, '') : name;
	return `${stem}.${extensionOf(type)}`;
}

/** How many bytes of a file tell what it is. */
export const HEAD_BYTES = 4_096;

/** What a login, or an error of a storage, is written in. */
const PAGES = new Set(['text/html', 'application/xml', 'application/json']);

/** Subtitles, lyrics or data, which may look like a page and are none. */
const isWritten = (type: string): boolean =>
	/^text\/|[/+](json|xml)$/.test(type) || type === 'application/x-subrip';

/** What is known of a file besides its bytes. */
export interface Stated {
	/** The types that are stated for it, the most trusted one first. */
	types: readonly unknown[];
	/** Its name, or the path of its link. */
	name?: string;
}

/** What a file is. */
export interface Detected {
	/** Its usual media type. */
	type: string;
	/** Whether its first bytes say so. */
	byBytes: boolean;
	/** The type of page that its bytes are: HTML, XML or JSON. An SVG drawing is none. */
	page?: string;
}

/**
 * Tells what a file is: by its first bytes, else by the stated type, else by its name. A container
 * may hold several types, such as video or only sound: then the one of these counts that is stated, or
 * that its name tells.
 * @param head the first {@link HEAD_BYTES}, or all of a shorter file
 */
export function detect(head: Uint8Array, { types, name = '' }: Stated): Detected {
	const stated = types.map(statedType).find((type) => type !== undefined);
	const named = typeOfName(name);
	const signature = signatureOf(head);
	if (signature && !signature.isText) {
		const { type, orElse = [] } = signature;
		const page = PAGES.has(type) ? type : undefined;
		const mayBe = (other: string | undefined) =>
			other !== undefined && (orElse.includes(other) || (page !== undefined && isWritten(other)));
		const known = [stated, named].find(mayBe);
		return { type: known ?? type, byBytes: true, page };
	}
	const type = stated ?? named ?? signature?.type ?? UNKNOWN;
	return { type, byBytes: false };
}

/** Whether a type is stated that may well look like a page. */
export const isStatedAsText = (value: unknown): boolean => isWritten(statedType(value) ?? '');

/** Whether a type is stated that is one of a page. */
export const isStatedAsPage = (value: unknown): boolean => PAGES.has(statedType(value) ?? '');
