import { LIMITS } from '../../../src/contract';
import { ABSENT, flag, minutes, number } from '../../../src/fields/rules';
import { context } from '../../support/rules';

const count = number({ ...LIMITS.count, integer: true });

test.each([
	[1, 1],
	[16, 16],
	[' 7 ', 7],
])('count: %p is sent as %p', (given, value) => {
	expect(count(given, context)).toEqual({ value });
});

test.each([[0], [17], [1.5], ['x'], ['0x10'], ['1,5'], [NaN], ['Infinity'], [true], [[1]], [10n]])(
	'count: %p is refused',
	(given) => {
		expect(count(given, context)).toMatchObject({
			problem: /^must be a whole number from 1 to 16, got /,
		});
	},
);

test.each([
	[number({ min: 0.5, max: 2 }), [0.5, 2], [0.49, 2.01], 'a number from 0.5 to 2'],
	[number({ min: 1, integer: true }), [1, 1e9], [0, 1.5], 'a whole number of at least 1'],
	[number({ max: 12 }), [12], [13], 'a number of at most 12'],
	[number(), [-1e300, 0, 1e300], [NaN, 'x'], 'a number'],
])('the bounds themselves fit, what lies beyond does not: %#', (rule, fits, beyond, wanted) => {
	for (const value of fits) expect(rule(value, context)).toEqual({ value });
	for (const value of beyond)
		expect(rule(value, context)).toMatchObject({
			problem: expect.stringContaining(`must be ${wanted}, got`),
		});
});

test('an empty text leaves a number out, or is a problem when required', () => {
	for (const given of ['', '\u200b', ABSENT])
		expect(number()(given, context)).toEqual({ value: undefined });
	expect(number({ required: true })('', context)).toEqual({ problem: 'is empty' });
});

test('minutes become milliseconds', () => {
	expect(minutes()('0.5', context)).toEqual({ value: 30_000 });
	expect(minutes()(0, context)).toEqual({ problem: 'must be a number above 0, got 0' });
});

test('a flag is true or false in any case, 1 or 0; nothing else', () => {
	for (const given of [true, 'TRUE', ' True ', 1, '1'])
		expect(flag()(given, context)).toEqual({ value: true });
	for (const given of [false, 'FALSE', 0, '0'])
		expect(flag()(given, context)).toEqual({ value: false });
	for (const given of ['', ABSENT]) expect(flag()(given, context)).toEqual({ value: undefined });
	for (const given of ['yes', 2, NaN, {}, [true], 'constructor'])
		expect(flag()(given, context)).toMatchObject({ problem: /^must be true or false, got / });
});
