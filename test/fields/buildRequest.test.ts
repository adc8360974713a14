import { ENDPOINTS } from '../../src/contract';
import { buildRequest, mappedFields } from '../../src/fields/buildRequest';
import { inBody, inPath, inQuery, type Field } from '../../src/fields/operation';
import { choice, id, media, number, text } from '../../src/fields/rules';
import { BinaryReference } from '../../src/run/uploads';
import { context, valuesOf } from '../support/rules';

const named = (name: string) =>
	({ displayName: name.toUpperCase(), name, type: 'string', default: '' }) as const;

const FIELDS: Field[] = [
	{ ...named('prompt'), mapping: inBody('prompt', text({ required: true })) },
	{ ...named('since'), mapping: inQuery('since', text()) },
	named('waitForCompletion'),
	{
		...named('parameters'),
		fields: [
			{ ...named('count'), mapping: inBody('parameters.count', number({ min: 1, max: 16 })) },
			{ ...named('size'), mapping: inBody('parameters.size', text()) },
		],
	},
	{
		...named('input'),
		fields: [{ ...named('video'), mapping: inBody('input.video', media({ max: 1 })) }],
	},
];

const fields = mappedFields(FIELDS);

const check = (given: unknown) =>
	buildRequest(ENDPOINTS.createGeneration, fields, valuesOf(fields, given), context);

test('fields that are sent are found with their path among the parameters, collections included', () => {
	expect(fields.map(({ parameter }) => parameter)).toEqual([
		'prompt',
		'since',
		'parameters.count',
		'parameters.size',
		'input.video',
	]);
});

test('a required field that may be hidden is left out where it is, and wrong where its expression gives nothing', () => {
	const mapping = { ...inBody('text', text({ required: true })), mayBeHidden: true };
	const request = (values: object) =>
		buildRequest(
			ENDPOINTS.createSpeech,
			mappedFields([{ ...named('text'), mapping }]),
			{ ...values },
			context,
		);
	expect(request({})).toMatchObject({ ok: true, value: { body: {} } });
	expect(request({ text: undefined })).toMatchObject({
		failure: { field: 'TEXT', problem: 'is empty' },
	});
});

test('a request holds what the fields gave, each through its rule, and nothing empty', () => {
	const given = {
		prompt: 'a cat',
		since: '2026-01-01',
		parameters: { count: '2', size: '' },
		input: { video: 'binary:clip' },
	};
	expect(check(given)).toEqual({
		ok: true,
		value: {
			method: 'POST',
			path: '/generations',
			query: { since: '2026-01-01' },
			body: {
				prompt: 'a cat',
				parameters: { count: 2 },
				input: { video: [new BinaryReference('clip')] },
			},
		},
	});
});

test('only known fields are copied', () => {
	const extra = JSON.parse(
		'{"prompt": "a", "other": 1, "__proto__": {"x": 1}, "parameters": {"tags": 1}}',
	) as unknown;
	expect(check(extra)).toEqual({
		ok: true,
		value: { method: 'POST', path: '/generations', query: {}, body: { prompt: 'a' } },
	});
	expect(({} as Record<string, unknown>).x).toBeUndefined();
});

test('the first problem names its field', () => {
	const result = check({ prompt: 'a', parameters: { count: 17 }, input: { video: 'x' } });
	expect(result).toMatchObject({
		failure: { kind: 'input', field: 'COUNT', problem: /^must be a number from 1 to 16/ },
	});
	expect(check({ prompt: 'a', input: { video: 'binary:x' } })).toMatchObject({
		failure: { field: 'VIDEO', hint: 'Binary fields of this item: data, clip' },
	});
});

test.each([undefined, null, 'text', [], { parameters: 'text' }, { parameters: null }])(
	'parameters of an unexpected shape are empty ones: %j',
	(given) => {
		expect(check(given)).toMatchObject({ failure: { field: 'PROMPT', problem: 'is empty' } });
	},
);

test('an id is encoded into the path, once, and a GET has no body', () => {
	const own = mappedFields([{ ...named('generationId'), mapping: inPath('id', id()) }]);
	const read = (given: unknown) =>
		buildRequest(ENDPOINTS.getGeneration, own, { generationId: given }, context);
	expect(read("a b?c=d&#$&$'%")).toEqual({
		ok: true,
		value: { method: 'GET', path: "/generations/a%20b%3Fc%3Dd%26%23%24%26%24'%25", query: {} },
	});
	expect(read('../credits')).toMatchObject({ failure: { kind: 'input', field: 'GENERATIONID' } });
});

test('a rule of a choice is applied as well', () => {
	const own = mappedFields([
		{ ...named('mode'), mapping: inBody('mode', choice(['image'], { required: true })) },
	]);
	const request = buildRequest(ENDPOINTS.createGeneration, own, { mode: 'audio' }, context);
	expect(request).toMatchObject({
		failure: { problem: 'must be one of image, got audio' },
	});
});
