import { ENDPOINTS } from '../../src/api';
import { mappedFields } from '../../src/fields/readFields';
import { additionalJson } from '../../src/fields/commonFields';
import { inBody, type Field } from '../../src/fields/operation';
import { media, name, number } from '../../src/fields/rules';
import { BinaryReference } from '../../src/files/localFile';
import { endpointNames, operationsOf } from '../support/operations';
import { requestOf } from '../support/rules';

const named = (name: string) => ({ displayName: name, name, type: 'string', default: '' }) as const;

const fields = [
	// Before the others, to show that it is applied after them.
	additionalJson,
	{ ...named('mode'), mapping: inBody('mode', name()) },
	{ ...named('count'), mapping: inBody('parameters.count', number()) },
	{ ...named('video'), mapping: inBody('input.video', media()) },
] satisfies Field[];

const body = { mode: 'image', count: 2, video: 'binary:clip' };

function built(additionalFields: unknown, rest: Record<string, unknown> = body) {
	const spec = { endpoint: ENDPOINTS.createGeneration, output: 'job' } as const;
	return requestOf({ fields, spec }, { ...rest, additionalFields });
}

const bodyOf = (additionalFields: unknown) => {
	const request = built(additionalFields);
	return request.ok ? request.value.body : request.failure;
};

const usual = {
	mode: 'image',
	parameters: { count: 2 },
	input: { video: [new BinaryReference('clip')] },
};

test('it is merged into the body: new fields are added, at any depth', () => {
	const given = { parameters: { no_such_field: 7 }, no_such_part: { tags: ['a'] } };
	const wanted = {
		...usual,
		parameters: { count: 2, no_such_field: 7 },
		no_such_part: { tags: ['a'] },
	};
	expect(bodyOf(given)).toEqual(wanted);
	expect(bodyOf(JSON.stringify(given))).toEqual(wanted);
});

test('it wins over a field: objects are merged, all else is replaced, null is sent as it is', () => {
	expect(bodyOf('{"mode": "no_such_mode", "parameters": {"count": null}}')).toEqual({
		...usual,
		mode: 'no_such_mode',
		parameters: { count: null },
	});
	expect(bodyOf({ input: 'none', parameters: [1] })).toEqual({
		mode: 'image',
		input: 'none',
		parameters: [1],
	});
});

test.each([['{}'], [''], [{}]])('%j adds nothing', (nothing) => {
	expect(bodyOf(nothing)).toEqual(usual);
});

test('a key named as what every object has is a key like any other', () => {
	const given = '{"constructor": {"prototype": {"x": 1}}, "toString": "y", "hasOwnProperty": 1}';
	expect(JSON.parse(JSON.stringify(bodyOf(given)))).toMatchObject(JSON.parse(given) as object);
	expect(({} as Record<string, unknown>).x).toBeUndefined();
});

test('every creation but an upload offers it', async () => {
	const creations = endpointNames.filter((name) => /^create|^approve|^review/.test(name));
	const without: string[] = [];
	for (const name of creations) {
		for (const { fields: own, value } of await operationsOf(name)) {
			if (!mappedFields(own).some(({ parameter }) => parameter === 'options.additionalFields'))
				without.push(`${name} ${value}`);
		}
	}
	expect(without).toEqual(['createFile upload']);
});
