import { media } from '../../../src/description/rules';
import { BinaryReference } from '../../../src/transport/item/binaryReference';
import { context, localContext } from '../../support/rules';

const A = 'https://example.com/a.png';
const B = 'https://example.com/b.png';
const single = media({ max: 1 });
const many = media();

test.each([
	['a URL', A, [A]],
	['one a line', `${A}\n${B}`, [A, B]],
	['with blank lines and blanks', `\n ${A} \r\n\n${B}\n`, [A, B]],
	['an array', [A, B], [A, B]],
	['an array with empty entries', ['', A, ' '], [A]],
	['a JSON array as text', JSON.stringify([A, B]), [A, B]],
	['a binary field', 'binary:data', [new BinaryReference('data')]],
	['both kinds', `binary: clip\n${A}`, [new BinaryReference('clip'), A]],
])('%s', (_name, given, value) => {
	expect(many(given, context)).toEqual({ value });
});

test.each([[''], [undefined], [null], [[]], ['\n \n'], ['[]']])(
	'%j leaves it out, or is a problem when required',
	(given) => {
		expect(many(given, context)).toEqual({ value: undefined });
		expect(media({ required: true })(given, context)).toEqual({ problem: 'is empty' });
	},
);

test('a single-item slot takes one, not two', () => {
	expect(single(A, context)).toEqual({ value: [A] });
	expect(single([A, B], context)).toEqual({ problem: 'takes at most 1 item, got 2' });
	expect(single(`${A}\nbinary:data`, context)).toEqual({ problem: 'takes at most 1 item, got 2' });
});

test('twelve source images fit, thirteen do not', () => {
	const rule = media({ max: 12 });
	expect(
		rule(
			Array.from({ length: 12 }, () => A),
			context,
		),
	).toHaveProperty('value');
	expect(
		rule(
			Array.from({ length: 13 }, () => A),
			context,
		),
	).toEqual({
		problem: 'takes at most 12 items, got 13',
	});
});

test.each([
	'http://example.com/a.png',
	'ftp://example.com/a',
	'data:image/png;base64,AA',
	'a.png',
	'http://127.0.0.1/a',
])('%s is refused: a media input is an https URL', (given) => {
	expect(many(given, context)).toMatchObject({
		problem: expect.stringContaining(given),
		hint: /binary:/,
	});
});

test('http is for a service on this machine, and stays on it', () => {
	expect(many('http://127.0.0.1:4010/a.png', localContext)).toHaveProperty('value');
	expect(many('http://example.com/a.png', localContext)).toHaveProperty('problem');
});

test('a binary field that the item lacks is named, with those that it has', () => {
	expect(many('binary:other', context)).toEqual({
		problem: 'names the binary field "other", which the item does not have',
		hint: 'Binary fields of this item: data, clip',
	});
	expect(many('binary:', { ...context, binaryFields: [] })).toMatchObject({
		hint: 'Binary fields of this item: none',
	});
});

test.each([[7], [true], [{}], [[7]], [[null]], [[[A]]]])('%j is no media input', (given) => {
	expect(many(given, context)).toHaveProperty('problem');
});
