import fc from '../support/fastCheck';
import {
	detect,
	extensionOf,
	HEAD_BYTES,
	nameOfType,
	statedType,
	typeOfName,
} from '../../src/files/fileTypes';
import { MEDIA } from './support/media';

const typeOf = (head: Buffer, ...types: string[]) => detect(head, { types }).type;

test.each<[keyof typeof MEDIA, string]>([
	['png', 'image/png'],
	['jpeg', 'image/jpeg'],
	['gif', 'image/gif'],
	['webp', 'image/webp'],
	['avif', 'image/avif'],
	['heic', 'image/heic'],
	['tiffLittle', 'image/tiff'],
	['bmp', 'image/bmp'],
	['svg', 'image/svg+xml'],
	['mp4', 'video/mp4'],
	['mov', 'video/quicktime'],
	['m4a', 'audio/mp4'],
	['webm', 'video/webm'],
	['mkv', 'video/x-matroska'],
	['avi', 'video/x-msvideo'],
	['wav', 'audio/wav'],
	['mp3', 'audio/mpeg'],
	['mp3LongTag', 'audio/mpeg'],
	['ogg', 'audio/ogg'],
	['opus', 'audio/ogg'],
	['flac', 'audio/flac'],
	['aac', 'audio/aac'],
	['aiff', 'audio/aiff'],
	['pdf', 'application/pdf'],
])('%s is %s by its first bytes, whatever is stated', (name, type) => {
	for (const stated of [[], ['application/octet-stream'], ['image/x-other'], ['text/html']]) {
		expect(detect(MEDIA[name], { types: stated, name: 'x.docx' })).toEqual({ type });
	}
});

test.each<[keyof typeof MEDIA, string]>([
	['mp4', 'audio/mp4'],
	['webm', 'audio/webm'],
	['mp3LongTag', 'audio/aac'],
	['moov', 'video/mp4'],
	['fragment', 'audio/mp4'],
	['m4a', 'video/mp4'],
])('a container may hold what is stated: %s as %s', (name, stated) => {
	expect(typeOf(MEDIA[name].subarray(0, HEAD_BYTES), stated)).toBe(statedType(stated));
});

test.each([
	['take.m4a', 'application/octet-stream', 'audio/mp4'],
	['take.mp4', 'application/octet-stream', 'video/mp4'],
	['take.mp4', 'audio/x-m4a', 'audio/mp4'],
])('or what its name says: %s of %s is %s', (name, stated, type) => {
	expect(detect(MEDIA.mp4, { types: [stated], name }).type).toBe(type);
});

test.each([
	['<!DOCTYPE html><html>', 'text/html', 'an HTML page'],
	['<html><svg></svg></html>', 'text/html', 'an HTML page'],
	[
		'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code></Error>',
		'application/xml',
		'an XML document',
	],
	['{"error": {"message": "gone"}}', 'application/json', 'a JSON document'],
])('%j is a page', (text, type, page) => {
	const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');
	for (const head of [Buffer.from(text), utf16, Buffer.from(utf16).swap16()])
		expect(detect(head, { types: ['image/png'] })).toEqual({
			type,
			page,
			problem: `says image/png, is ${page}`,
		});
});

test.each([
	'',
	'< 3',
	'[00:01] la la',
	'{ curly',
	'WEBVTT\n\n00:00.000 --> 00:01.000',
	'BM is short',
])('%j is no page: what is stated counts, then the name, then that it is a text', (text) => {
	const head = Buffer.from(text);
	expect(detect(head, { types: ['image/x-raw'] })).toEqual({ type: 'image/x-raw' });
	const { type } = detect(head, { types: ['', 'binary/octet-stream'], name: 'a.VTT' });
	expect(type).toBe('text/vtt');
	expect(typeOf(head)).toBe(text === '' ? 'application/octet-stream' : 'text/plain');
});

test('of several stated types the first that says anything counts', () => {
	const head = Buffer.alloc(8);
	expect(typeOf(head, 'application/octet-stream', 'audio/x-pcm', 'image/png')).toBe('audio/pcm');
	expect(typeOf(head, 'nonsense')).toBe('application/octet-stream');
});

test.each([
	['Image/PNG; charset=binary', 'image/png'],
	[' audio/mpeg ', 'audio/mpeg'],
	['image/jpg', 'image/jpeg'],
	['audio/x-wav', 'audio/wav'],
	['image/x-canon-cr2', 'image/x-canon-cr2'],
	['png', undefined],
	['application/octet-stream', undefined],
	[{}, undefined],
	[`image/${'x'.repeat(200)}`, undefined],
])('the media type that %p states is %p', (given, type) => {
	expect(statedType(given)).toBe(type);
});

test.each([
	['image/jpeg', 'jpg'],
	['audio/mpeg', 'mp3'],
	['text/vtt', 'vtt'],
	['application/octet-stream', 'bin'],
	['constructor', 'bin'],
])('a file of %s ends in .%s: the extension is never up to a server', (type, extension) => {
	expect(extensionOf(type)).toBe(extension);
});

test.each([
	['photo.JPG', 'image/jpeg'],
	['noextension', undefined],
	['a.constructor', undefined],
])('by its name %p is %p', (name, type) => {
	expect(typeOfName(name)).toBe(type);
});

test.each([
	['photo.jpg', 'image/jpeg', 'photo.jpg'],
	['photo.jpg', 'image/png', 'photo.png'],
	['photo.v2', 'image/png', 'photo.v2.png'],
	['voice.webm', 'audio/webm', 'voice.webm'],
	['anything', 'application/octet-stream', 'anything'],
])('%p of %s is named %p', (name, type, named) => {
	expect(nameOfType(name, type)).toBe(named);
});

test('whatever the bytes, there is an answer with a valid type', () => {
	const anything = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
	const start = fc.constantFrom(...Object.values(MEDIA), Buffer.from('<'));
	const cut = fc
		.tuple(start, fc.nat(40), anything)
		.map(([media, length, rest]) => Buffer.concat([media.subarray(0, length), rest]));
	fc.assert(
		fc.property(fc.oneof(anything, cut), fc.string(), fc.string(), (bytes, stated, name) => {
			expect(detect(bytes, { types: [stated], name }).type).toMatch(/^[a-z]+\/[a-z0-9.+-]+$/);
		}),
	);
});

/** What comes in place of a file, and what it is called then. */
const NO_FILES: Array<[what: string, head: Buffer | string, words: string]> = [
	['a data URL', `data:image/png;base64,${MEDIA.png.toString('base64')}`, 'text'],
	['an error sentence', 'Not Found', 'text'],
	['an object as text', '[object Object]', 'text'],
	['a Git LFS pointer', 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a', 'text'],
	['a page', '<!doctype html><p>Sign in', 'an HTML page'],
	['XML', '<Error><Code>NoSuchKey</Code></Error>', 'an XML document'],
	['JSON', '{"error": "gone"}', 'a JSON document'],
	['a ZIP archive', Buffer.from('PK\x03\x04\x14\0\0\0', 'latin1'), 'an archive'],
	['a gzip archive', Buffer.from('\x1f\x8b\x08\0\0\0', 'latin1'), 'an archive'],
	[
		'a ZIP archive with a document',
		Buffer.from(`PK\x03\x04${'\xff\xfb\x90a'.repeat(2_000)}`, 'latin1'),
		'an archive',
	],
	[
		'what is encrypted',
		Buffer.from('\x07\xff\xfb\x90\x64'.repeat(100), 'latin1'),
		'something else',
	],
	['zeros', Buffer.alloc(64), 'something else'],
	[
		'a picture that went through UTF-8',
		Buffer.from(MEDIA.png.toString('utf8')),
		'what is left of it after it was read as text',
	],
	[
		'sound that went through UTF-8',
		Buffer.from(MEDIA.mp3.toString('utf8')),
		'what is left of it after it was read as text',
	],
];

/** Every type whose bytes are known. */
const WITH_BYTES = [
	...['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/heic'],
	...['image/heif', 'image/tiff', 'image/bmp', 'image/svg+xml', 'image/x-icon', 'image/jxl'],
	...['video/mp4', 'video/quicktime', 'video/webm', 'video/x-matroska', 'video/x-msvideo'],
	...['video/mpeg', 'video/ogg', 'video/3gpp', 'video/x-flv', 'video/x-ms-wmv', 'audio/mpeg'],
	...['audio/wav', 'audio/mp4', 'audio/aac', 'audio/flac', 'audio/ogg', 'audio/opus', 'audio/webm'],
	...['audio/aiff', 'audio/amr', 'audio/midi', 'application/pdf', 'model/gltf-binary'],
];

test.each(NO_FILES)('%s is none of the types whose bytes are known', (_, content, words) => {
	const head = Buffer.from(content as Buffer);
	for (const type of WITH_BYTES) {
		const problem = `says ${type}, is ${words}`;
		expect(detect(head, { types: [type] })).toMatchObject({ problem });
		expect(
			detect(head, { types: ['binary/octet-stream'], name: `x.${extensionOf(type)}` }),
		).toHaveProperty('problem');
	}
	// A type of which nothing is known is believed, but for a page.
	expect(detect(head, { types: ['application/x-unheard-of'] }).problem).toBeUndefined();
});

test('what is text is no picture, whatever is stated, if its name says so', () => {
	for (const stated of ['text/plain', 'text/markdown', 'application/x-unheard-of'])
		expect(detect(Buffer.from('Not Found'), { types: [stated], name: 'a.png' })).toMatchObject({
			problem: 'says image/png, is text',
		});
	expect(detect(Buffer.from('A song'), { types: ['text/plain'], name: 'a.md' })).toEqual({
		type: 'text/plain',
	});
	// Sound without a beginning of its own.
	expect(detect(Buffer.alloc(64), { types: ['audio/pcm'], name: 'a.wav' })).toEqual({
		type: 'audio/pcm',
	});
});

test.each(Object.keys(MEDIA) as Array<keyof typeof MEDIA>)(
	'%s is what it is stated to be',
	(name) => {
		const { type } = detect(MEDIA[name], { types: [] });
		expect(detect(MEDIA[name], { types: [type], name: 'x.bin' })).toEqual({ type });
	},
);

/** A frame of MPEG audio of so many bytes. */
const frame = (header: number[], length: number): Buffer =>
	Buffer.concat([Buffer.from(header), Buffer.alloc(length - header.length)]);

test.each<[what: string, header: number[], length: number]>([
	['MP3 of 128 kbit/s', [0xff, 0xfb, 0x90, 0x64], 417],
	['MP3 of 128 kbit/s, padded', [0xff, 0xfb, 0x92, 0x64], 418],
	['MP3 of 320 kbit/s at 48 kHz, with sums', [0xff, 0xfa, 0xe4, 0], 960],
	['MP3 of 64 kbit/s at 22 kHz', [0xff, 0xf3, 0x80, 0xc4], 208],
	['MP3 of 8 kbit/s at 8 kHz', [0xff, 0xe3, 0x18, 0xc4], 72],
	['MP2 of 192 kbit/s', [0xff, 0xfd, 0xa0, 0], 626],
])('sound is found after what does not belong to it: %s', (_, header, length) => {
	const junk = Buffer.alloc(300, '-');
	const one = frame(header, length);
	expect(typeOf(Buffer.concat([junk, one, one]), 'audio/mpeg')).toBe('audio/mpeg');
	expect(typeOf(Buffer.concat([junk, one, one]))).toBe('application/octet-stream');
	// By chance there is a single one in most files.
	expect(detect(Buffer.concat([junk, one]), { types: ['audio/mpeg'] })).toHaveProperty('problem');
});

test('a PDF is found after what does not belong to it', () => {
	const junk = Buffer.alloc(300, '-');
	expect(typeOf(Buffer.concat([junk, MEDIA.pdf]), 'application/pdf')).toBe('application/pdf');
});

/** What may follow the beginning of a file: all that is looked for in the middle of one. */
const REST = Buffer.concat([
	Buffer.from('%PDF-1.7'),
	...Array.from({ length: 3 }, () => frame([0xff, 0xfb, 0x90, 0x64], 417)),
]);

test.each(['png', 'jpeg', 'webp', 'mp4', 'webm', 'wav', 'ogg', 'flac'] as const)(
	'no type is believed for what stands later in the bytes: %s',
	(name) => {
		const head = Buffer.concat([MEDIA[name], REST]);
		const { type } = detect(MEDIA[name], { types: [] });
		for (const stated of ['audio/mpeg', 'application/pdf'])
			expect(detect(head, { types: [stated], name: 'x.mp3' })).toEqual({ type });
	},
);

test('nor for the tag before a sound that is another', () => {
	const tag = Buffer.from('ID3\x04\0\0\0\0\0\x02ab', 'latin1');
	for (const name of ['mp3', 'wav', 'flac', 'aac'] as const) {
		const { type } = detect(MEDIA[name], { types: [] });
		for (const stated of ['audio/mpeg', 'audio/wav', 'audio/flac', 'audio/aiff'])
			expect(detect(Buffer.concat([tag, MEDIA[name]]), { types: [stated] })).toEqual({ type });
	}
});

test.each([
	['a comment', `<!-- ${'Made by hand. '.repeat(1_000)} -->`],
	['a comment without an end so far', `<?xml version="1.0"?><!-- ${'x'.repeat(100_000)}`],
	['instructions', '<?xml version="1.0"?>\n<?xml-stylesheet href="a>b.css"?>\n'.repeat(100)],
	['a doctype', '<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x">'],
])('a drawing is known behind %s', (_, before) => {
	const head = Buffer.from(`${before}<svg xmlns="http://www.w3.org/2000/svg"/>`).subarray(
		0,
		HEAD_BYTES,
	);
	expect(detect(head, { types: ['image/svg+xml'] })).toEqual({ type: 'image/svg+xml' });
});
