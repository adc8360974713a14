import { ABSENT, choice, id, name, names, optional, prose } from '../../../src/fields/rules';
import { context } from '../../support/rules';

test.each([
	[' a cat \n', ' a cat \n'],
	[7, '7'],
	['half of \ud83d', 'half of '],
	['a\u0000b', 'ab'],
	['👩‍🚀 and 😀', '👩‍🚀 and 😀'],
])('the prose %j is sent as %j', (given, value) => {
	expect(prose()(given, context)).toEqual({ value });
});

test.each([ABSENT, '', ' \n\t', '\u200b'])(
	'%p leaves it out, or is a problem when required',
	(given) => {
		expect(prose()(given, context)).toEqual({ value: undefined });
		expect(prose({ required: true })(given, context)).toEqual({ problem: 'is empty' });
	},
);

test('an expression that gives nothing is not what somebody wanted', () => {
	expect(prose()(undefined, context)).toMatchObject({
		problem: 'was added, but its expression gives nothing',
	});
	expect(prose({ required: true })([null], context)).toEqual({ problem: 'is empty' });
});

test('a character counts once, however many units it takes', () => {
	expect(prose({ max: 3 })('😀😀😀', context)).toHaveProperty('value');
	expect(prose({ max: 3 })('😀😀😀😀', context)).toEqual({
		problem: 'has 4 characters; at most 3 are allowed',
	});
});

test.each([[['a']], [{ toString: 5 }], [true], [2 ** 60]])(
	'%j is neither prose nor a name',
	(given) => {
		for (const rule of [prose(), name()])
			expect(rule(given, context)).toMatchObject({ problem: /^must be text, got / });
	},
);

test('a field of an update is left out if it was not added or is empty, unless that clears it', () => {
	const rule = optional(prose({ required: true }));
	expect(rule(ABSENT, context)).toEqual({ value: undefined });
	expect(rule('', context)).toEqual({ value: undefined });
	expect(rule(null, context)).toHaveProperty('problem');
	const clearing = optional(prose({ clears: true }));
	expect(clearing('', context)).toEqual({ value: '' });
	expect(clearing(ABSENT, context)).toEqual({ value: undefined });
});

test.each([
	['\u200bstudio/image-1\n', 'studio/image-1'],
	[7.5, '7.5'],
])('the name %j is sent as %j', (given, value) => {
	expect(name()(given, context)).toEqual({ value });
});

test('a name is on one line', () => {
	expect(name()('a\nb', context)).toEqual({ problem: 'must be on one line, got "a b"' });
});

test('names are a list, or text with commas, each once; null in a list is nothing', () => {
	expect(names()('a, b\nc,a, ', context)).toEqual({ value: ['a', 'b', 'c'] });
	expect(names()(['a', null, ' b '], context)).toEqual({ value: ['a', 'b'] });
	expect(names()([{}], context)).toMatchObject({ problem: /^must be text, got / });
	expect(names()(' , ', context)).toEqual({ value: undefined });
});

test('a choice is one of the values, without what nobody sees around it', () => {
	const rule = choice(['image', 'video']);
	for (const given of ['image', '\u200bimage '])
		expect(rule(given, context)).toEqual({ value: 'image' });
	for (const given of ['Image', 'audio', 7, ['image'], { value: 'image' }])
		expect(rule(given, context)).toMatchObject({ problem: /^must be one of image, video, got / });
});

test.each(['gen_8f3a1c', ' a b\n', '%2e%2e', 7])('%p is an ID', (given) => {
	expect(id()(given, context)).toEqual({ value: String(given).trim() });
});

test.each(['a/b', '..', '.', 'a..b', 'a\\b', 'a\nb', 'a\u0000b', 'a\ud800b'])(
	'the ID %p is refused: it could lead elsewhere',
	(given) => {
		expect(id()(given, context)).toMatchObject({ problem: /^is not a valid ID/ });
	},
);

test('an ID is always needed, and is text', () => {
	for (const given of ['', '\u200b', undefined, [], ABSENT])
		expect(id()(given, context)).toEqual({ problem: 'is empty' });
	for (const given of [{}, true, Number('9007199254740993')])
		expect(id()(given, context)).toMatchObject({ problem: /^must be an ID, got / });
});
