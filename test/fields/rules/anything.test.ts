import fc, { anyCodePoint, webUrl } from '../../support/fastCheck';
import { expectSame } from '../../support/same';
import {
	choice,
	dateTime,
	flag,
	id,
	jsonObject,
	media,
	name,
	number,
	prose,
	type Rule,
} from '../../../src/fields/rules';
import { BinaryReference } from '../../../src/run/uploads';
import { context } from '../../support/rules';
import { cases } from '../../support/thorough';

const isMedia = (value: unknown) =>
	Array.isArray(value) &&
	value.every((one) => typeof one === 'string' || one instanceof BinaryReference);

const RULES: Array<[name: string, rule: Rule, fits: (value: unknown) => boolean]> = [
	['prose', prose({ max: 20 }), (value) => typeof value === 'string' && value.length <= 40],
	[
		'required prose',
		prose({ required: true }),
		(value) => typeof value === 'string' && value.trim() !== '',
	],
	['name', name(), (value) => typeof value === 'string' && value.trim() === value],
	['choice', choice(['a', 'b']), (value) => value === 'a' || value === 'b'],
	[
		'number',
		number({ min: -5, max: 5 }),
		(value) => typeof value === 'number' && Math.abs(value) <= 5,
	],
	['whole number', number({ integer: true }), Number.isInteger],
	['flag', flag(), (value) => typeof value === 'boolean'],
	[
		'id',
		id(),
		(value) =>
			typeof value === 'string' && !/[/\\]|\.\./.test(value) && encodeURIComponent(value) !== '',
	],
	['JSON object', jsonObject(), (value) => typeof value === 'object' && !Array.isArray(value)],
	['time', dateTime(), (value) => typeof value === 'string' && /^\d{4}-.*Z$/.test(value)],
	['media', media({ max: 3 }), (value) => isMedia(value) && (value as unknown[]).length <= 3],
];

/**
 * What an expression may give: also values that JSON cannot hold, and text that tries something.
 */
const anything = fc.oneof(
	fc.anything({
		withBigInt: true,
		withDate: true,
		withMap: true,
		withSet: true,
		withNullPrototype: true,
	}),
	fc.string({ unit: anyCodePoint }),
	webUrl,
	fc.constantFrom(
		'__proto__',
		'constructor',
		'../..',
		'binary:data',
		'binary:__proto__',
		'[',
		'[1',
		'["a"]',
		'a',
		'5',
	),
);

/** Objects that fight back when they are looked at. */
const circular: Record<string, unknown> = {};
circular.self = circular;
const HOSTILE: unknown[] = [
	circular,
	[circular],
	10n,
	[10n],
	Symbol('x'),
	() => 'x',
	{ toJSON: () => undefined },
	{
		toJSON() {
			throw new Error('no');
		},
	},
	new Proxy(
		{},
		{
			ownKeys: () => {
				throw new Error('no');
			},
		},
	),
];

describe.each(RULES)('%s', (_name, rule, fits) => {
	function check(given: unknown) {
		const ruled = rule(given, context);
		if ('problem' in ruled) {
			expect(ruled.problem).toMatch(/^[^\n\r]{1,400}$/);
			return;
		}
		if (ruled.value !== undefined) expectSame(fits(ruled.value), true);
	}

	test('gives a value of the right type or a problem on one line, whatever comes', () => {
		fc.assert(fc.property(anything, check), { numRuns: cases(400) });
	});

	test('never throws at values that fight back', () => {
		for (const given of HOSTILE) check(given);
	});
});
