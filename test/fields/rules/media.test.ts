import { ABSENT, binaryField, media } from '../../../src/fields/rules';
import { BinaryReference } from '../../../src/run/uploads';
import { context, localContext } from '../../support/rules';

const A = 'https://example.com/a.png';
const B = 'https://example.com/b.png';
const single = media({ max: 1 });
const many = media();

test.each([
	['one a line', `${A}\n${B}`, [A, B]],
	['an array', [A, B], [A, B]],
	['a JSON array as text', JSON.stringify([A, B]), [A, B]],
	['a binary field', 'binary:data', [new BinaryReference('data')]],
	['both kinds', `binary: clip\n${A}`, [new BinaryReference('clip'), A]],
	['what surrounds it', `<${A}>\n"${B}"`, [A, B]],
	['our own outputs', [{ id: 'o1', url: A, media_type: 'image/png' }, { url: B }], [A, B]],
	['a list in a code fence', '```json\n["' + A + '"]\n```', [A]],
	['a file of the item', context.files.clip, [new BinaryReference('clip')]],
	['null in a list', [null, A, undefined], [A]],
])('%s', (_name, given, value) => {
	expect(many(given, context)).toEqual({ value });
});

test.each([[''], [ABSENT], ['[]'], ['\u200b']])(
	'%p leaves it out, or is a problem when required',
	(given) => {
		expect(many(given, context)).toEqual({ value: undefined });
		expect(media({ required: true })(given, context)).toEqual({ problem: 'is empty' });
	},
);

test('a file of another item is named, and a binary field is found by the file itself too', () => {
	const other = { mimeType: 'image/png', fileName: 'other.png', id: 'x' };
	expect(many(other, context)).toMatchObject({
		problem: 'is the file "other.png", which is not one file of this item',
	});
	const { data } = context.files;
	const twice = { ...context, files: { data, copy: data } as typeof context.files };
	expect(many(data, twice)).toHaveProperty('problem');
	const rule = binaryField();
	const clip = new BinaryReference('clip');
	for (const given of ['clip', ' clip ', 'binary:clip', context.files.clip])
		expect(rule(given, context)).toEqual({ value: clip });
	for (const given of ['', ' ', undefined, null, []])
		expect(rule(given, context)).toEqual({ problem: 'is empty' });
});

test.each(['http://example.com/a.png', 'data:image/png;base64,AA', 'a.png', 'http://127.0.0.1/a'])(
	'%s is refused: a media input is an https URL',
	(given) => {
		expect(many(given, context)).toMatchObject({
			problem: expect.stringContaining(given),
			hint: /binary:/,
		});
	},
);

test('http is for a service on this machine, and stays on it', () => {
	expect(many('http://127.0.0.1:4010/a.png', localContext)).toHaveProperty('value');
	expect(many('http://example.com/a.png', localContext)).toHaveProperty('problem');
});

test('a binary field that the item lacks is named, with those that it has', () => {
	expect(many('binary:other', context)).toEqual({
		problem: 'names the binary field "other", which the item does not have',
		hint: 'Binary fields of this item: data, clip',
	});
	expect(many('binary:x', { ...context, files: {} })).toMatchObject({
		hint: 'Binary fields of this item: none',
	});
});

test.each([[7], [{}], [{ url: 7 }], [[[A]]]])('%j is not a media input', (given) => {
	expect(many(given, context)).toHaveProperty('problem');
});

describe('a locator, as the editor stores it', () => {
	const byUrl = (value: unknown) => ({ __rl: true, mode: 'url', value });
	const binary = (value: unknown) => ({ __rl: true, mode: 'binary', value });
	const data = new BinaryReference('data');
	const clip = new BinaryReference('clip');

	test.each<[string, unknown, unknown[]]>([
		['URLs with blanks between them', byUrl(`${A} ${B}`), [A, B]],
		['lines that the one line of the editor has joined', byUrl(`${A}${B}`), [A, B]],
		['an array by expression', byUrl([A, 'binary:data']), [A, data]],
		['the old word in the place of a URL', byUrl(`binary:data ${A}`), [data, A]],
		['binary fields', binary(' data, clip '), [data, clip]],
		['the old word before the name', binary('binary:data'), [data]],
	])('%s', (_name, given, value) => {
		expect(many(given, context)).toEqual({ value });
	});

	test.each([
		'https://web.archive.org/web/2020/https://example.com/a.png',
		'https://proxy.example/a.png?a=1&u=https://example.com/a.png#https://b.example',
	])('a URL within a URL stays in it: %s', (url) => {
		expect(many(byUrl(url), context)).toEqual({ value: [url] });
	});

	test.each([[''], [undefined], [' ']])(
		'a binary field that is %j is a mistake: a file was meant to be sent',
		(value) => {
			expect(many(binary(value), context)).toHaveProperty('problem');
		},
	);

	test('a single-item slot takes one of either kind', () => {
		expect(single(binary('data'), context)).toEqual({ value: [data] });
		expect(single(binary('data, clip'), context)).toEqual({
			problem: 'takes at most 1 item, got 2',
		});
	});
});
