import { choice, id, text } from '../../../src/fields/rules';
import { context } from '../../support/rules';

describe('text', () => {
	test.each([
		['a cat', 'a cat'],
		[' a cat ', ' a cat '],
		[7, '7'],
		[0, '0'],
		[false, 'false'],
	])('%p is sent as %p', (given, value) => {
		expect(text()(given, context)).toEqual({ value });
	});

	test.each([[''], [undefined], [null]])(
		'%p leaves the field out, or is a problem when required',
		(given) => {
			expect(text()(given, context)).toEqual({ value: undefined });
			expect(text({ required: true })(given, context)).toEqual({ problem: 'is empty' });
		},
	);

	test('blanks alone are empty when required', () => {
		expect(text({ required: true })(' \n\t', context)).toEqual({ problem: 'is empty' });
		expect(text()(' ', context)).toEqual({ value: ' ' });
	});

	test('10,000 characters fit, 10,001 do not', () => {
		const rule = text({ required: true, max: 10_000 });
		expect(rule('x'.repeat(10_000), context)).toHaveProperty('value');
		expect(rule('x'.repeat(10_001), context)).toEqual({
			problem: 'has 10001 characters; at most 10000 are allowed',
		});
	});

	test('a character counts once, however many units it takes', () => {
		expect(text({ max: 3 })('😀😀😀', context)).toHaveProperty('value');
		expect(text({ max: 3 })('😀😀😀😀', context)).toMatchObject({ problem: /^has 4 / });
	});

	test.each([[{}], [[]], [['a']], [{ toString: 5 }]])('%j is not text', (given) => {
		expect(text()(given, context)).toMatchObject({ problem: /^must be text/ });
	});
});

describe('choice', () => {
	const rule = choice(['image', 'video']);

	test('one of the values, to the letter', () => {
		expect(rule('image', context)).toEqual({ value: 'image' });
		for (const given of ['Image', 'image ', 'audio', 7, ['image'], { value: 'image' }]) {
			expect(rule(given, context)).toMatchObject({ problem: /^must be one of image, video, got / });
		}
	});

	test('empty leaves it out, or is a problem when required', () => {
		expect(rule('', context)).toEqual({ value: undefined });
		expect(choice(['image'], { required: true })('', context)).toEqual({ problem: 'is empty' });
	});
});

describe('id', () => {
	test.each(['gen_8f3a1c', 'studio/image-1'.replace('/', '.'), 'a b', 'ä', '%2e%2e', '…', 7])(
		'%p is an ID',
		(given) => {
			expect(id()(given, context)).toEqual({ value: String(given).trim() });
		},
	);

	test('blanks around it are taken off', () => {
		expect(id()(' gen_1\n', context)).toEqual({ value: 'gen_1' });
	});

	test.each([
		'a/b',
		'/',
		'../credits',
		'..',
		'.',
		'a..b',
		'a\\b',
		'a\nb',
		'a\u0000',
		'a\u007fb',
		'a\ud800',
	])('%p is refused: it could lead elsewhere', (given) => {
		expect(id()(given, context)).toMatchObject({ problem: /^is not a valid ID/ });
	});

	test.each([[''], [' '], [undefined], [null], [{}], [[]]])('%j is empty', (given) => {
		expect(id()(given, context)).toEqual({ problem: 'is empty' });
	});
});
