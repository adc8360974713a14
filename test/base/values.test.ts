import { flagOf } from '../../src/base/values';

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
