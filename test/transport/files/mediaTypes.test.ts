import { extensionOf, mediaTypeOf } from '../../../src/transport/files/mediaTypes';

test.each([
	['image/png', 'image/png'],
	['Image/PNG; charset=binary', 'image/png'],
	[' audio/mpeg ', 'audio/mpeg'],
	['', undefined],
	['png', undefined],
	['image/', undefined],
	['image/png/x', undefined],
	['image/<script>', undefined],
	[undefined, undefined],
	[null, undefined],
	[{}, undefined],
	[`image/${'x'.repeat(200)}`, undefined],
])('the media type of %p is %p', (given, type) => {
	expect(mediaTypeOf(given)).toBe(type);
});

test.each([
	['image/png', 'png'],
	['image/jpeg', 'jpg'],
	['video/mp4', 'mp4'],
	['audio/mpeg', 'mp3'],
	['audio/wav', 'wav'],
	['application/octet-stream', 'bin'],
	['constructor', 'bin'],
	['__proto__', 'bin'],
	['image/exe', 'bin'],
])('a file of %s ends in .%s: the extension is never up to a server', (type, extension) => {
	expect(extensionOf(type)).toBe(extension);
});
