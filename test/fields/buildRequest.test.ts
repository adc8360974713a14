import { ENDPOINTS, type Endpoint } from '../../src/api';
import { forOthers, inBody, inPath, inQuery, type Field } from '../../src/fields/operation';
import { id, media, name, number, prose } from '../../src/fields/rules';
import { BinaryReference } from '../../src/files/localFile';
import { requestOf } from '../support/rules';

const named = (name: string) =>
	({ displayName: name.toUpperCase(), name, type: 'string', default: '' }) as const;

const FIELDS: Field[] = [
	{ ...named('prompt'), mapping: inBody('prompt', prose({ required: true })) },
	{ ...named('since'), mapping: inQuery('since', name()) },
	named('waitForCompletion'),
	{
		...named('parameters'),
		fields: [
			{ ...named('count'), mapping: inBody('parameters.count', number({ min: 1, max: 16 })) },
			{ ...named('size'), mapping: inBody('parameters.size', name()) },
		],
	},
	{
		...named('input'),
		fields: [{ ...named('video'), mapping: inBody('input.video', media({ max: 1 })) }],
	},
];

const ask = (endpoint: Endpoint, fields: Field[], given: object) =>
	requestOf({ fields, spec: { endpoint, output: 'job' } }, { ...given });

const check = (given: object) => ask(ENDPOINTS.createGeneration, FIELDS, given);

const ONLY_BY_HAND = { displayOptions: { show: { how: ['hand'] } } };

const HIDING: Field[] = [
	{ ...named('how'), default: 'hand', mapping: forOthers(name()) },
	{ ...named('text'), ...ONLY_BY_HAND, mapping: inBody('text', prose({ required: true })) },
];

test('a required field is left out where the editor hides it, and wrong where its expression gives nothing', () => {
	const request = (values: object) => ask(ENDPOINTS.createSpeech, HIDING, values);
	expect(request({ how: 'file' })).toMatchObject({ ok: true, value: { body: {} } });
	for (const values of [{ how: 'hand' }, {}, { how: 'hand', text: undefined }])
		expect(request(values)).toMatchObject({ failure: { field: 'TEXT', problem: 'is empty' } });
});

test('an update that sets nothing is refused, as the service would call it a success', () => {
	const update = (given: object) => ask(ENDPOINTS.updateWebhook, FIELDS.slice(0, 1), given);
	expect(update({ prompt: 'a cat' })).toMatchObject({ ok: true, value: { method: 'PATCH' } });
	const optional: Field[] = [{ ...named('url'), mapping: inBody('url', name()) }];
	for (const given of [{}, { url: '' }])
		expect(ask(ENDPOINTS.updateWebhook, optional, given)).toMatchObject({
			failure: { problem: 'has nothing to update' },
		});
});

test('a request holds what the fields gave, each through its rule, and nothing empty or unknown', () => {
	const given = JSON.parse(`{
		"prompt": "a cat", "since": "2026-01-01", "other": 1, "__proto__": { "x": 1 },
		"parameters": { "count": "2", "size": "", "tags": 1 }, "input": { "video": "binary:clip" }
	}`) as object;
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

test('an id is encoded into the path, once, and a GET has no body', () => {
	const own = [{ ...named('generationId'), mapping: inPath('id', id()) }];
	const read = (given: unknown) => ask(ENDPOINTS.getGeneration, own, { generationId: given });
	expect(read("a b?c=d&#$&$'%")).toEqual({
		ok: true,
		value: { method: 'GET', path: "/generations/a%20b%3Fc%3Dd%26%23%24%26%24'%25", query: {} },
	});
	expect(read('../credits')).toMatchObject({ failure: { kind: 'input', field: 'GENERATIONID' } });
});
