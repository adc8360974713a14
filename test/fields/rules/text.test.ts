import { ABSENT, choice, id, name, names, optional, prose } from '../../../src/fields/rules';
import { context } from '../../support/rules';

/** Everything that nobody sees. */
const UNSEEN = ['', ' ', ' \n\t', '\u200b', '\ufeff', '\u00a0\u2060', '\u3164', '\u0000'];

/** What an expression gives that gives nothing. */
const NOTHING = [undefined, null, [], [null], [undefined, null]];

const GIVES_NOTHING = { problem: 'was added, but its expression gives nothing' };

describe('prose', () => {
	test.each([
		['a cat', 'a cat'],
		[' a cat \n', ' a cat \n'],
		[7, '7'],
		[0, '0'],
		['half of \ud83d', 'half of '],
		['a\u0000b', 'ab'],
		['👩‍🚀 and 😀', '👩‍🚀 and 😀'],
	])('%j is sent as %j', (given, value) => {
		expect(prose()(given, context)).toEqual({ value });
	});

	test.each([ABSENT, ...UNSEEN])('%p leaves it out, or is a problem when required', (given) => {
		expect(prose()(given, context)).toEqual({ value: undefined });
		expect(prose({ required: true })(given, context)).toEqual({ problem: 'is empty' });
	});

	test.each(NOTHING.map((given) => [given]))('%j is not what somebody wanted', (given) => {
		expect(prose()(given, context)).toMatchObject(GIVES_NOTHING);
		expect(prose({ required: true })(given, context)).toEqual({ problem: 'is empty' });
	});

	test('a character counts once, however many units it takes', () => {
		expect(prose({ max: 3 })('😀😀😀', context)).toHaveProperty('value');
		expect(prose({ max: 3 })('😀😀😀😀', context)).toMatchObject({ problem: /^has 4 / });
	});

	test.each([[{}], [['a']], [{ toString: 5 }], [true], [NaN], [1e300], [2 ** 60]])(
		'%j is not text',
		(given) => {
			expect(prose()(given, context)).toMatchObject({ problem: /^must be text, got / });
		},
	);

	test('a field of an update is left out if it was not added or is empty, unless that clears it', () => {
		const rule = optional(prose({ required: true }));
		expect(rule(ABSENT, context)).toEqual({ value: undefined });
		expect(rule('', context)).toEqual({ value: undefined });
		expect(rule(null, context)).toHaveProperty('problem');
		expect(rule('a', context)).toEqual({ value: 'a' });
		const clearing = optional(prose({ clears: true }));
		expect(clearing('', context)).toEqual({ value: '' });
		expect(clearing(ABSENT, context)).toEqual({ value: undefined });
	});
});

describe('name', () => {
	test.each([
		['studio/image-1 ', 'studio/image-1'],
		['\u200bstudio/image-1\n', 'studio/image-1'],
		['English (US)', 'English (US)'],
		[7.5, '7.5'],
		[9007199254740991, '9007199254740991'],
	])('%j is sent as %j', (given, value) => {
		expect(name()(given, context)).toEqual({ value });
	});

	test.each([[{}], [{ id: 'm' }], [['m']], [true], [Number('9007199254740993')], [NaN]])(
		'%j is no name',
		(given) => {
			expect(name()(given, context)).toMatchObject({ problem: /^must be text, got / });
		},
	);

	test('is on one line', () => {
		expect(name()('a\nb', context)).toEqual({ problem: 'must be on one line, got "a b"' });
	});

	test('names are a list, or text with commas, each once; null in a list is nothing', () => {
		expect(names()('a, b\nc,a, ', context)).toEqual({ value: ['a', 'b', 'c'] });
		expect(names()(['a', null, ' b '], context)).toEqual({ value: ['a', 'b'] });
		expect(names()([{}], context)).toMatchObject({ problem: /^must be text, got / });
		expect(names()(' , ', context)).toEqual({ value: undefined });
	});
});

describe('choice', () => {
	const rule = choice(['image', 'video']);

	test('one of the values, without what nobody sees around it', () => {
		for (const given of ['image', 'image ', '\u200bimage'])
			expect(rule(given, context)).toEqual({ value: 'image' });
		for (const given of ['Image', 'audio', 7, ['image'], { value: 'image' }]) {
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

	test.each([
		'a/b',
		'/',
		'../credits',
		'..',
		'.',
		'a..b',
		'a\\b',
		'a\nb',
		'a\u0000b',
		'a\u007fb',
		'a\ud800b',
	])('%p is refused: it could lead elsewhere', (given) => {
		expect(id()(given, context)).toMatchObject({ problem: /^is not a valid ID/ });
	});

	test.each([[''], [' '], ['\u200b'], [undefined], [null], [[]], [ABSENT]])(
		'%p is empty',
		(given) => {
			expect(id()(given, context)).toEqual({ problem: 'is empty' });
		},
	);

	test.each([[{}], [true], [['a']], [Number('9007199254740993')]])('%j is no ID', (given) => {
		expect(id()(given, context)).toMatchObject({ problem: /^must be an ID, got / });
	});
});
