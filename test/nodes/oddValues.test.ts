import fc, { anyCodePoint } from '../support/fastCheck';
import { expectSame } from '../support/same';
import type { EndpointName, Json } from '../../src/api';
import { mappedFields, type MappedField } from '../../src/fields/readFields';
import type { Operation } from '../../src/fields/operation';
import { withoutInstances } from '../../src/base/values';
import { BinaryReference } from '../../src/files/localFile';
import { goodFor, withValue } from '../support/goodValues';
import { endpointNames, operationsOf } from '../support/operations';
import { refusals } from '../support/shapes';
import { requestOf } from '../support/rules';
import { cases } from '../support/thorough';

const url = 'https://example.com/a.png';

/**
 * Values that people, expressions and AI agents really give: strings for numbers, nulls, arrays,
 * huge text, other types.
 */
const odd = fc.oneof(
	fc.constantFrom<unknown>(undefined, null, '', ' ', 0, -1, 1.5, 1e21, NaN, Infinity, true, 'true'),
	fc.constantFrom<unknown>('7', '0x10', '[]', '[null]', '{}', '["a"]', '__proto__', 'constructor'),
	fc.constantFrom<unknown>([], [null], [[]], {}, { a: 1 }, { __rl: true, mode: 'id' }),
	fc.constantFrom<unknown>(
		url,
		`${url}\n${url}`,
		'binary:data',
		'binary:none',
		'..',
		'a/b',
		'\u0000',
	),
	fc.constant(JSON.parse('{"__proto__": {"text": "x"}, "text": "y"}') as unknown),
	fc.constant('x'.repeat(20_000)),
	fc.constant([...Array(60).keys()].map(String)),
	fc.constant(new Date('2026-01-31T12:00:00Z')),
	fc.string({ unit: anyCodePoint, maxLength: 100 }),
	fc.string({ unit: 'grapheme', maxLength: 900 }),
	fc.jsonValue(),
	fc.double(),
	fc.integer(),
);

/** How What to Speak names the forms of blocks. */
const FORMS: Record<string, string> = { blocks: 'fields', blocksJson: 'json', text: 'text' };

const requestFields = ({ fields }: Operation) =>
	mappedFields(fields).filter(({ mapping }) => ['body', 'query', 'path'].includes(mapping.in));

function ask(
	operation: Operation,
	fields: MappedField[],
	valueOf: (field: MappedField) => unknown,
) {
	const form = fields.map(({ parameter }) => FORMS[parameter]).find(Boolean);
	const parameters = fields.reduce(
		(all: Json, field) => withValue(all, field.parameter, valueOf(field)),
		form === undefined ? {} : { blocksFrom: form },
	);
	return requestOf(operation, parameters);
}

async function refusal(name: EndpointName, operation: Operation, given: ReturnType<typeof ask>) {
	if (!given.ok) {
		const { failure } = given;
		const labels = mappedFields(operation.fields).map(({ label }) => label);
		const names = failure.kind === 'input' && [...labels, 'Update Fields'].includes(failure.field);
		return names ? undefined : failure;
	}
	const { body, query = {}, path } = given.value;
	if (path.includes('{') || new URL(`https://a.example/v1${path}`).pathname !== `/v1${path}`)
		return path;
	// Its request is made of the file, when that is sent.
	if (name === 'createFile') return undefined;
	const sent = withoutInstances(body, BinaryReference, (field) => `${url}?${field}`);
	// As JSON, which is what travels; a lone surrogate is replaced on the way.
	const wire = sent === undefined ? undefined : (JSON.parse(JSON.stringify(sent)) as unknown);
	const texts = Object.fromEntries(
		Object.entries(query).map(([key, value]) => [key, String(value)]),
	);
	const issues = refusals(name, { body: wire, query: texts });
	return issues.length > 0 ? issues : undefined;
}

describe.each(endpointNames)('%s', (name) => {
	test('what its parameters take is what the service accepts', async () => {
		for (const operation of await operationsOf(name)) {
			const fields = requestFields(operation).filter(
				({ parameter, mapping }) => mapping.as !== 'blocks' || parameter === 'blocks',
			);
			const given = ask(operation, fields, goodFor);
			expect(given).toMatchObject({ ok: true });
			expect(await refusal(name, operation, given)).toBeUndefined();
		}
	});

	test('anything in one parameter is refused by name, or accepted by the service', async () => {
		for (const operation of await operationsOf(name)) {
			const all = requestFields(operation);
			// What is in Additional JSON is the user's word against ours; its own test says what becomes
			// of it.
			for (const tried of all.filter(({ label }) => label !== 'Additional JSON')) {
				const formOfBlocks = tried.mapping.as === 'blocks' ? tried.parameter : 'blocks';
				const isOther = ({ parameter, mapping }: MappedField) =>
					mapping.as === 'blocks' && parameter !== formOfBlocks;
				const fields = all.filter((field) => !isOther(field));
				const property = fc.asyncProperty(odd, async (value) => {
					const given = ask(operation, fields, (field) =>
						field === tried ? value : goodFor(field),
					);
					expectSame(await refusal(name, operation, given), undefined);
				});
				await fc.assert(property, { numRuns: cases(150) });
			}
		}
	});
});
