import fc, { anyCodePoint } from '../support/fastCheck';
import { expectSame } from '../support/same';
import { INPUT_SLOTS, type EndpointName } from '../../src/contract';
import { buildRequest, mappedFields, type MappedField } from '../../src/fields/buildRequest';
import type { Operation } from '../../src/fields/operation';
import { withoutReferences } from '../../src/run/uploads';
import { endpointNames, operationsOf } from '../support/operations';
import { refusals } from '../support/requestSchemas';
import { context } from '../support/rules';
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

/** A value that a field takes, so that the others of the operation come to their turn. */
const GOOD: Record<string, unknown> = {
	mode: 'image',
	model: 'service/speech-lite',
	prompt: 'A boat',
	delivery: 'signed_url',
	persona_id: '3b241101-e2bb-4255-8caf-4136c566a962',
	brief: 'A spot',
	max_credits: 5,
	plan: '{"steps": []}',
	decision: 'assemble',
	name: 'Mara',
	description: 'Calm',
	url,
	events: ['voice.created'],
	audio_url: url,
	reference_images: url,
	file: 'data',
	id: 'gen_1',
	since: '2026-01-31',
	shared: true,
	source_images: url,
	auto_approve: false,
};

const slots: readonly string[] = INPUT_SLOTS;

function goodFor({ parameter, mapping: { as } }: MappedField): unknown {
	if (parameter === 'blocks')
		return { block: [{ text: 'Hello', voice: { __rl: true, value: '' } }] };
	if (parameter === 'blocksJson') return '["Hello"]';
	if (parameter === 'text') return 'Hello';
	const slot = as.split('.').at(-1) ?? '';
	return slots.includes(slot) ? url : GOOD[as];
}

function ask(
	operation: Operation,
	fields: MappedField[],
	valueOf: (field: MappedField) => unknown,
) {
	const values = Object.fromEntries(fields.map((field) => [field.parameter, valueOf(field)]));
	return buildRequest(operation.spec.endpoint, fields, values, context, operation.constants);
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
	const sent = withoutReferences(body, (field) => `${url}?${field}`);
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
			const fields = mappedFields(operation.fields).filter(
				({ parameter, mapping }) => mapping.as !== 'blocks' || parameter === 'blocks',
			);
			const given = ask(operation, fields, goodFor);
			expect(given).toMatchObject({ ok: true });
			expect(await refusal(name, operation, given)).toBeUndefined();
		}
	});

	test('anything in one parameter is refused by name, or accepted by the service', async () => {
		for (const operation of await operationsOf(name)) {
			const all = mappedFields(operation.fields);
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
