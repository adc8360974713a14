import fc from '../support/fastCheck';
import { modelValues } from '../../src/description/search/capabilities';

const ratios = (model: unknown) =>
	modelValues(model, 'aspect_ratio').values.map(({ value }) => value);

/**
 * Three catalogues that our sandbox does not resemble, each with the same two ratios, of which the
 * second is the default.
 */
const CATALOGUES: Array<[string, unknown]> = [
	[
		'a JSON Schema of the parameters',
		{
			id: 'a',
			parameters: {
				type: 'object',
				properties: {
					aspect_ratio: { type: 'string', enum: ['1:1', '16:9'], default: '16:9' },
					seed: { type: 'integer', minimum: 0 },
				},
			},
		},
	],
	[
		'a list of parameters, each with options that have labels',
		{
			name: 'b',
			capabilities: {
				parameters: [
					{ name: 'seed', type: 'number' },
					{
						name: 'aspect_ratio',
						options: [
							{ value: '1:1', label: 'Square' },
							{ value: '16:9', label: 'Wide', default: true },
						],
					},
				],
			},
		},
	],
	[
		'objects keyed by value, in camel case and the plural',
		{
			id: 'c',
			capabilities: {
				supportedAspectRatios: { '1:1': { label: 'Square' }, '16:9': {}, '4:3': false },
			},
			defaults: { aspect_ratio: '16:9' },
		},
	],
	[
		'values beside the defaults, and the default among the capabilities',
		{
			capabilities: { aspect_ratio: { choices: { '1:1': 1, '16:9': 2 }, default: '16:9' } },
		},
	],
	[
		'lists under defaults',
		{ defaults: { aspect_ratio: { values: ['1:1', '16:9'], default: '16:9' } } },
	],
];

test.each(CATALOGUES)('%s', (_shape, model) => {
	expect(ratios(model)).toEqual(['1:1', '16:9']);
	expect(modelValues(model, 'aspect_ratio').standard).toBe('16:9');
	expect(modelValues(model, 'resolution')).toEqual({ values: [] });
});

test('labels are kept if they differ from the value', () => {
	const [, model] = CATALOGUES[1] ?? [];
	expect(modelValues(model, 'aspect_ratio').values).toEqual([
		{ value: '1:1', label: 'Square' },
		{ value: '16:9', label: 'Wide' },
	]);
});

test.each<[string, string, unknown]>([
	['qualities', 'quality', ['low']],
	['Sizes', 'size', ['low']],
	['available_durations', 'duration', ['low']],
	['languages', 'language_boost', ['low']],
	['speed', 'speed', { enum: ['low'] }],
])('%s are the values of %s', (key, parameter, list) => {
	expect(modelValues({ capabilities: { [key]: list } }, parameter).values).toEqual([
		{ value: 'low' },
	]);
});

test('numbers are values and become text, which is what the service takes', () => {
	const model = { capabilities: { duration: [5, 10, '10'] }, defaults: { duration: 5 } };
	expect(modelValues(model, 'duration')).toEqual({
		values: [{ value: '5' }, { value: '10' }],
		standard: '5',
	});
});

test('the name itself goes before what only resembles it, and what can be read before what cannot', () => {
	expect(ratios({ capabilities: { aspectRatios: ['9:16'], aspect_ratio: ['1:1'] } })).toEqual([
		'1:1',
	]);
	expect(
		ratios({ capabilities: { aspect_ratio: true }, parameters: { aspect_ratio: ['1:1'] } }),
	).toEqual(['1:1']);
});

test.each<[string, unknown]>([
	['a range', { type: 'number', min: 3, max: 12 }],
	['a range with a default', { minimum: 3, maximum: 12, default: 5 }],
	['a flag', true],
	['a flag in an object', { supported: true }],
	['a text', 'up to 10 s'],
	['a number', 10],
	['nothing', null],
	['an empty list', []],
	['lists of lists', [['5'], ['10']]],
	['a size in pixels', { width: 1024, height: 768 }],
	['limits', { max_seconds: 10 }],
	['only names', { name: 'duration', description: 'How long' }],
])('%s is not a list: the field stays free text', (_name, value) => {
	for (const model of [
		{ capabilities: { duration: value } },
		{ capabilities: { parameters: { duration: value } } },
		{ parameters: { duration: value } },
	]) {
		expect(modelValues(model, 'duration').values).toEqual([]);
	}
});

test('a list of names of parameters is not taken for values', () => {
	const model = { capabilities: { parameters: ['count', 'duration'] }, parameters: 'duration' };
	expect(modelValues(model, 'duration')).toEqual({ values: [] });
});

test('a catalogue of any shape is read without an error, as texts and at most a thousand of them', () => {
	const shape = fc.letrec((tie) => ({
		any: fc.oneof(
			{ maxDepth: 5 },
			fc.jsonValue(),
			fc.array(tie('any')),
			fc.dictionary(
				fc.constantFrom(
					...['capabilities', 'parameters', 'defaults', 'properties', 'duration', 'durations'],
					...['values', 'enum', 'options', 'default', 'name', '5', '__proto__', 'toString'],
				),
				tie('any'),
			),
			fc.constantFrom(
				Array.from({ length: 3_000 }, (_, index) => index),
				'x'.repeat(1_000),
			),
		),
	})).any;
	fc.assert(
		fc.property(shape, (model) => {
			const { values, standard } = modelValues(model, 'duration');
			expect(values.length).toBeLessThanOrEqual(1_000);
			for (const { value, label } of values) {
				expect([typeof value, value.trim() === '']).toEqual(['string', false]);
				expect(['string', 'undefined']).toContain(typeof label);
			}
			expect(['string', 'undefined']).toContain(typeof standard);
		}),
		{ numRuns: 500 },
	);
});
