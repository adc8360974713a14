import { flagOf, valueAt } from '../../src/base/values';

test.each([
	[true, true],
	['true', true],
	[1, true],
	['1', true],
	[false, false],
	['false', false],
	[0, false],
	['0', false],
	['TRUE', true],
	[' False\n', false],
	['', undefined],
	[null, undefined],
	[undefined, undefined],
	['constructor', undefined],
	['yes', undefined],
	[2, undefined],
	[{}, undefined],
])('the flag %j is %j', (value, flag) => {
	expect(flagOf(value)).toBe(flag);
});

test('a path that leads nowhere has no value', () => {
	const values = { options: { key: 'a' }, list: [1] };
	expect(valueAt(values, ['options', 'key'])).toBe('a');
	expect(valueAt(values, ['options', 'other', 'deep'])).toBeUndefined();
	expect(valueAt(undefined, ['options'])).toBeUndefined();
	expect(valueAt(values, [])).toBe(values);
});
