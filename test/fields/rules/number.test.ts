import { LIMITS } from '../../../src/contract';
import { flag, number } from '../../../src/fields/rules';
import { context } from '../../support/rules';

const count = number({ ...LIMITS.count, integer: true });

test.each([
	[1, 1],
	[16, 16],
	['7', 7],
	[' 7 ', 7],
	[2.0, 2],
])('count: %p is sent as %p', (given, value) => {
	expect(count(given, context)).toEqual({ value });
});

test.each([
	[0],
	[17],
	[-1],
	[1.5],
	['1.5'],
	['x'],
	[' '],
	[NaN],
	[Infinity],
	['Infinity'],
	[true],
	[[1]],
	[{}],
])('count: %p is refused', (given) => {
	expect(count(given, context)).toMatchObject({
		problem: /^must be a whole number from 1 to 16, got /,
	});
});

test.each([
	[
		'both bounds',
		number({ ...LIMITS.speechVolume }),
		[0.1, 10],
		[0.09, 10.01],
		'a number from 0.1 to 10',
	],
	['speed', number({ ...LIMITS.speechSpeed }), [0.5, 2], [0.49, 2.01], 'a number from 0.5 to 2'],
	[
		'a lower bound',
		number({ min: 1, integer: true }),
		[1, 1e9],
		[0, 0.5],
		'a whole number of at least 1',
	],
	['no bound', number(), [-1e300, 0, 1e300], [NaN, 'x'], 'a number'],
])(
	'%s: the bounds themselves fit, what lies beyond does not',
	(_name, rule, fits, beyond, wanted) => {
		for (const value of fits) expect(rule(value, context)).toEqual({ value });
		for (const value of beyond) {
			expect(rule(value, context)).toMatchObject({
				problem: expect.stringContaining(`must be ${wanted}, got`),
			});
		}
	},
);

test('an upper bound alone is reported too', () => {
	expect(number({ max: 12 })(13, context)).toEqual({
		problem: 'must be a number of at most 12, got 13',
	});
});

test('empty leaves a number out, or is a problem when required', () => {
	expect(number()('', context)).toEqual({ value: undefined });
	expect(number({ required: true })(undefined, context)).toEqual({ problem: 'is empty' });
});

test('true and false, also as text; nothing else', () => {
	for (const given of [true, 'true']) expect(flag()(given, context)).toEqual({ value: true });
	for (const given of [false, 'false']) expect(flag()(given, context)).toEqual({ value: false });
	for (const given of ['', null, undefined])
		expect(flag()(given, context)).toEqual({ value: undefined });
	for (const given of [1, 0, 'yes', 'TRUE', [], {}]) {
		expect(flag()(given, context)).toMatchObject({ problem: /^must be true or false, got / });
	}
});
