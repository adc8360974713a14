import fc from '../support/fastCheck';
import {
	detect,
	extensionOf,
	HEAD_BYTES,
	nameOfType,
	statedType,
	typeOfName,
} from '../../src/transfer/mediaTypes';
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
		expect(detect(MEDIA[name], { types: stated, name: 'x.docx' })).toEqual({
			type,
			byBytes: true,
			page: undefined,
		});
	}
});

test.each<[keyof typeof MEDIA, string]>([
	['mp4', 'audio/mp4'],
	['webm', 'audio/webm'],
	['mp3LongTag', 'audio/aac'],
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
	['<!DOCTYPE html><html>', 'text/html'],
	['<html><svg></svg></html>', 'text/html'],
	[
		'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code></Error>',
		'application/xml',
	],
	['{"error": {"message": "gone"}}', 'application/json'],
])('%j is a page', (page, type) => {
	const utf16 = Buffer.from(`\ufeff${page.replace('\ufeff', '')}`, 'utf16le');
	for (const head of [Buffer.from(page), utf16, Buffer.from(utf16).swap16()])
		expect(detect(head, { types: ['image/png'] })).toEqual({ type, byBytes: true, page: type });
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
	expect(detect(head, { types: ['image/jpg'] })).toEqual({ type: 'image/jpeg', byBytes: false });
	const { type } = detect(head, { types: ['', 'binary/octet-stream'], name: 'a.VTT' });
	expect(type).toBe('text/vtt');
	expect(typeOf(head)).toBe(text === '' ? 'application/octet-stream' : 'text/plain');
});

test('of several stated types the first that says anything counts', () => {
	const head = Buffer.alloc(8);
	expect(typeOf(head, 'application/octet-stream', 'audio/x-wav', 'image/png')).toBe('audio/wav');
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
