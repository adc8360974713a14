import { jsonObject, located, name } from '../../../src/fields/rules';
import { context } from '../../support/rules';

test.each([
	['{"a": [1]}', { a: [1] }],
	[{ a: 1 }, { a: 1 }],
	['Here:\n```\n{"a": 1}\n```\nDone.', { a: 1 }],
	[{ at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
	[{ a: 'half \ud83d\u0000' }, { a: 'half ' }],
])('%j is a JSON object', (given, value) => {
	expect(jsonObject()(given, context)).toEqual({ value });
});

test.each(['[1]', 'null', '{"a"', '```\n{"a"\n```', 7, [{ a: 1 }]])('%j is none', (given) => {
	expect(jsonObject()(given, context)).toMatchObject({ problem: /^must be a JSON object, got / });
});

test.each([[{ a: 1n }], [{ a: { b: undefined } }], [{ a: [NaN] }], [{ a: () => 1 }]])(
	'an object of which something would be lost is refused',
	(given) => {
		expect(jsonObject()(given, context)).toMatchObject({ problem: /^cannot be used: in it "/ });
	},
);

test.each([[''], [' {} '], [{}]])('%j leaves it out', (given) => {
	expect(jsonObject()(given, context)).toEqual({ value: undefined });
});

test('a resource locator counts by what was chosen in it, with its mark or without', () => {
	const rule = located(name({ required: true }));
	const wrapped = (value: unknown) => ({ __rl: true, mode: 'list', value });
	for (const nothing of [wrapped(''), { mode: 'list', value: '' }, { __rl: true, mode: 'id' }])
		expect(rule(nothing, context)).toEqual({ problem: 'is empty' });
	expect(rule(wrapped(wrapped('')), context)).toEqual({ problem: 'is empty' });
	for (const chosen of ['m', wrapped('m'), { mode: 'id', value: ' m ' }, wrapped(wrapped('m'))])
		expect(rule(chosen, context)).toEqual({ value: 'm' });
});
