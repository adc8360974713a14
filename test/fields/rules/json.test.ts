import { jsonObject, located, text, whenSet } from '../../../src/fields/rules';
import { context } from '../../support/rules';

test.each([
	['{"a": [1]}', { a: [1] }],
	[{ a: 1 }, { a: 1 }],
	[' {"a": {}} ', { a: {} }],
	[{ at: new Date(0), run: () => 1 }, { at: '1970-01-01T00:00:00.000Z' }],
])('%j is a JSON object', (given, value) => {
	expect(jsonObject()(given, context)).toEqual({ value });
});

test.each(['[1]', '"a"', '7', 'null', '{"a"', 'text', 7, true, [1], { a: 1n }])(
	'%j is none',
	(given) => {
		expect(jsonObject()(given, context)).toMatchObject({ problem: /^must be a JSON object, got / });
	},
);

test.each([[''], [' \n'], [undefined], [null], [' {} '], [{}], [{ a: undefined }]])(
	'%j leaves it out',
	(given) => {
		expect(jsonObject()(given, context)).toEqual({ value: undefined });
	},
);

test('a field of an update is left out if it was not added, and used if it was, even empty', () => {
	const rule = whenSet(text({ required: true }));
	expect(rule(undefined, context)).toEqual({ value: undefined });
	expect(rule('', context)).toEqual({ problem: 'is empty' });
	expect(rule('a', context)).toEqual({ value: 'a' });
});

test('a resource locator counts by what was chosen in it', () => {
	const rule = located(text({ required: true }));
	expect(rule({ __rl: true, mode: 'list', value: '' }, context)).toEqual({ problem: 'is empty' });
	expect(rule({ __rl: true, mode: 'id' }, context)).toEqual({ problem: 'is empty' });
	expect(rule({ __rl: true, mode: 'id', value: 'm' }, context)).toEqual({ value: 'm' });
	const within = { __rl: true, mode: 'id', value: { __rl: true, mode: 'list', value: '' } };
	expect(rule(within, context)).toEqual({ problem: 'is empty' });
	expect(rule('m', context)).toEqual({ value: 'm' });
});
