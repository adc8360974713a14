/** The beginnings of files as programs write them, made by hand: what comes after them says nothing. */

const text = (value: string) => Buffer.from(value, 'latin1');

const file = (...parts: Array<string | number[] | Buffer>): Buffer =>
	Buffer.concat([
		...parts.map((part) => (typeof part === 'string' ? text(part) : Buffer.from(part))),
		Buffer.alloc(64),
	]);

const box = (brand: string, compatible = '') => {
	const size = Buffer.alloc(4);
	size.writeUInt32BE(16 + compatible.length);
	return file(size, 'ftyp', brand, [0, 0, 0, 0], compatible);
};

const ebml = (type: string) => file([0x1a, 0x45, 0xdf, 0xa3, 0x9f, 0x42, 0x82, 0x84], type);

const ogg = (first: string) => file('OggS', Buffer.alloc(24), first);

/** A tag of so many bytes before sound. */
const tagged = (length: number, sound: number[]) =>
	file(
		'ID3',
		[4, 0, 0, 0, length >> 14, (length >> 7) & 127, length & 127],
		Buffer.alloc(length),
		sound,
	);

const riff = (form: string) => file('RIFF', [0, 0, 0, 0], form);

const bitmap = () => file('BM', Buffer.alloc(12), [40, 0, 0, 0]);

export const MEDIA = {
	png: file([0x89], 'PNG\r\n', [0x1a], '\n'),
	jpeg: file([0xff, 0xd8, 0xff, 0xe0]),
	gif: file('GIF89a'),
	webp: riff('WEBPVP8 '),
	avif: box('avif'),
	heic: box('heic'),
	tiffLittle: file('II*', [0]),
	bmp: bitmap(),
	svg: text('<svg xmlns="http://www.w3.org/2000/svg"/>'),
	mp4: box('isom', 'mp41'),
	mov: box('qt  '),
	moov: file([0, 0, 2, 0], 'moov'),
	fragment: file([0, 0, 0, 24], 'moof'),
	m4a: box('M4A '),
	webm: ebml('webm'),
	mkv: ebml('matroska'),
	avi: riff('AVI LIST'),
	wav: riff('WAVEfmt '),
	mp3: file([0xff, 0xfb, 0x90, 0x64]),
	mp3LongTag: tagged(90_000, [0xff, 0xfb, 0x90]),
	ogg: ogg('\x01vorbis'),
	opus: ogg('OpusHead'),
	flac: file('fLaC'),
	aac: file([0xff, 0xf1, 0x50, 0x80]),
	aiff: file('FORM', [0, 0, 0, 0], 'AIFF'),
	pdf: file('%PDF-1.7'),
} as const;
