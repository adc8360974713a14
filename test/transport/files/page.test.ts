import { isPage } from '../../../src/transport/files/page';

const isPageAs = (stated: string | undefined, type: string | undefined, text: string) =>
	isPage(
		{ headers: type === undefined ? {} : { 'content-type': type } },
		stated,
		Buffer.from(text),
	);

const HTML = '<!doctype html>';

test.each(['image/png', 'video/mp4', 'audio/mpeg'])(
	'a text that begins like a page is none of %s',
	(stated) => {
		expect(isPageAs(stated, 'text/html; charset=utf-8', HTML)).toBe(true);
		expect(isPageAs(stated, 'application/json', ' \t\r\n{"error": 1}')).toBe(true);
		expect(isPageAs(stated, 'application/xhtml+xml', `\ufeff${HTML}`)).toBe(true);
	},
);

test.each([
	['the stated type is not a medium', 'application/pdf', 'text/html', HTML],
	['a type is stated that only contains one', 'x-image/png', 'text/html', HTML],
	['a drawing is stated, which is text', 'image/svg+xml', 'application/xml', '<svg/>'],
	['nothing is stated', undefined, 'text/html', HTML],
	['the response does not say what it is', 'image/png', undefined, HTML],
	['its type only contains that of a text', 'image/png', 'hypertext/html', HTML],
	['its type only begins like that of a text', 'image/png', 'application/json5', '{}'],
	['it begins like something else', 'image/png', 'text/html', 'PNG<'],
	['it is empty', 'image/png', 'text/html', ''],
	['it is blank', 'image/png', 'text/html', ' \n'],
])('it is taken for the file where %s', (_why, stated, type, text) => {
	expect(isPageAs(stated, type, text)).toBe(false);
});
