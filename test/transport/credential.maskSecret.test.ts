import { maskSecret } from '../../src/transport/credential';

const SECRET = 'canary-key-123';

test('a secret is masked everywhere, in values and in names', () => {
	const value = { text: `a ${SECRET} b ${SECRET}`, list: [{ deep: SECRET }, 7], [SECRET]: null };
	const masked = { text: 'a *** b ***', list: [{ deep: '***' }, 7], '***': null };
	expect(maskSecret(value, SECRET)).toEqual(masked);
	expect(maskSecret(`x${SECRET}`, SECRET)).toBe('x***');
});

test('a secret with characters that JSON escapes is masked as well', () => {
	const secret = 'quote"d-sec\\ret';
	expect(maskSecret({ text: `a ${secret}` }, secret)).toEqual({ text: 'a ***' });
});

const SLASHED = 'sk/live+canary/key==7f';

/** What a page cannot hold as it is, and base64 with its two signs. */
const SIGNS = 'sk<live>&canary&key~>?~>?';

/** A text as a page holds it. */
const onPage = (text: string) =>
	text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const within = (text: string) => `a?key=${text}&b`;

const SPELLINGS: Record<string, (key: string) => string> = {
	plain: (key) => key,
	'URL-encoded': (key) => encodeURIComponent(key),
	'URL-encoded twice': (key) => encodeURIComponent(encodeURIComponent(key)),
	'URL-encoded, with small digits': (key) => encodeURIComponent(key).toLowerCase(),
	'with escaped slashes': (key) => key.replaceAll('/', '\\/'),
	'JSON within JSON': (key) => JSON.stringify(JSON.stringify(key.replaceAll('/', '\\/'))),
	'escaped as Unicode': (key) =>
		[...key].map((each) => `\\u00${each.charCodeAt(0).toString(16)}`).join(''),
	'as entities of a page': (key) => [...key].map((each) => `&#${each.charCodeAt(0)};`).join(''),
	'as Mustache writes it': (key) => onPage(key).replaceAll('/', '&#x2F;').replaceAll('=', '&#x3D;'),
	'with the names of a page': onPage,
	'a page within a page': (key) => onPage(onPage(key)),
	'a page in a URL': (key) => encodeURIComponent(onPage(key)),
	'a page in JSON': (key) => onPage(key).replaceAll('&', '\\u0026'),
	'escaped in a program': (key) =>
		[...key].map((each) => `\\x${each.charCodeAt(0).toString(16)}`).join(''),
	'as a mail quotes it': (key) => key.replaceAll('=', '=3D'),
	'in hex': (key) => Buffer.from(key).toString('hex'),
	'in hex with large digits': (key) => Buffer.from(key).toString('hex').toUpperCase(),
	'base64 in a URL': (key) =>
		encodeURIComponent(Buffer.from(key).toString('base64').replace(/=+$/, '')),
	'base64 in JSON': (key) =>
		Buffer.from(key).toString('base64').replaceAll('/', '\\u002F').replaceAll('+', '\\u002B'),
	...Object.fromEntries(
		['', ':', 'me', 'me:'].flatMap((before) =>
			(['base64', 'base64url'] as const).flatMap((encoding) =>
				['', ':', '\n!'].map((after) => [
					`${encoding} of ${JSON.stringify(before)}, the key and ${JSON.stringify(after)}`,
					(key: string) => Buffer.from(before + key + after).toString(encoding),
				]),
			),
		),
	),
};

test('a secret is masked behind any number of backslashes', () => {
	for (const backslashes of ['\\'.repeat(8), '\\'.repeat(1_000)])
		for (const first of [SECRET, `u00${SECRET.charCodeAt(0).toString(16)}${SECRET.slice(1)}`])
			expect(maskSecret(backslashes + first, SECRET)).toBe(`${backslashes}***`);
});

test.each(Object.entries(SPELLINGS))('a secret is masked in every spelling: %s', (_, spell) => {
	for (const secret of [SECRET, SLASHED, SIGNS]) {
		const spelled = spell(secret);
		const masked = maskSecret({ [within(spelled)]: [within(spelled)] }, secret);
		const text = maskSecret(`x ${spelled} y`, secret);
		expect(text).toMatch(/^x .{0,8}\*\*\*.{0,8} y$/);
		for (const each of [JSON.stringify(masked), text]) {
			expect(each).toContain('***');
			// No piece of it that would help to guess it.
			for (let at = 0; at + 6 <= spelled.length; at += 1)
				expect(each).not.toContain(spelled.slice(at, at + 6));
		}
	}
});
