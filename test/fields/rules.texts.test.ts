import { tryToParseDateTime } from 'n8n-workflow';
import { mappedFields, type MappedField } from '../../src/fields/readFields';
import type { Operation } from '../../src/fields/operation';
import type { Ruled } from '../../src/fields/rules';
import { requiredOf, showing, withValue } from '../support/goodValues';
import { allOperations } from '../support/operations';
import { context, valuesOf } from '../support/rules';
import fc, { anyCodePoint } from '../support/fastCheck';

/*
 * One reader of text: what one text field takes, all take, whether it comes from the Code node, as JSON has
 * it, or from an expression, which may give numbers, moments and what `new String` makes.
 */

interface TextField {
	name: string;
	read: (value: unknown) => Ruled | undefined;
}

const WORD = 'abc1';

/** What a field makes of a value; in a locator as well, where it is one. */
function readerOf(operation: Operation, field: MappedField): TextField['read'] {
	const good = showing(requiredOf(operation), field);
	return (value) =>
		valuesOf(operation, withValue(good, field.parameter, value), context).rulingOf(field.parameter);
}

const holds = (value: unknown, word: string): boolean =>
	value === word ||
	(typeof value === 'object' &&
		value !== null &&
		Object.values(value).some((one) => holds(one, word)));

let texts: TextField[];
let all: TextField[];

beforeAll(async () => {
	all = (await allOperations()).flatMap((operation) =>
		mappedFields(operation.fields).map((field) => ({
			name: `${operation.action}: ${field.parameter}`,
			read: readerOf(operation, field),
		})),
	);
	texts = all.filter(({ read }) => {
		const ruled = read(WORD);
		return ruled && 'value' in ruled && holds(ruled.value, WORD);
	});
});

const withLocators = ({ name, read }: TextField): TextField[] => [
	{ name, read },
	{
		name: `${name} in a locator`,
		read: (value) => {
			const isLocator = read({ __rl: true, mode: 'id', value: WORD });
			return isLocator && 'value' in isLocator
				? read({ __rl: true, mode: 'id', value })
				: read(value);
		},
	},
];

/** The fields that read a value in another way than its text. */
const differing = (fields: TextField[], value: unknown, text: string): string[] =>
	fields
		.flatMap(withLocators)
		.filter(({ read }) => JSON.stringify(read(value)) !== JSON.stringify(read(text)))
		.map(({ name }) => name);

test('there are text fields of every kind among them', () => {
	expect(texts.length).toBeGreaterThan(60);
	const names = texts.map(({ name }) => name).join('\n');
	for (const kind of [
		'prompt',
		'idempotencyKey',
		'model',
		'voiceId',
		'name',
		'text',
		'resultField',
	])
		expect(names).toMatch(new RegExp(`[:.] ?${kind}$`, 'm'));
});

const NOON = new Date('2026-01-31T12:00:00.000Z');

test.each<[string, unknown, string]>([
	['a number', 7, '7'],
	['a fraction', 7.5, '7.5'],
	['a negative number', -7, '-7'],
	['zero', 0, '0'],
	['a big integer', 12345678901234567890n, '12345678901234567890'],
	['a text object', Object(WORD), WORD],
	['a number object', Object(7), '7'],
	['an object with an empty text', Object(''), ''],
	['a Date', NOON, NOON.toJSON()],
	['a DateTime', tryToParseDateTime(NOON, 'UTC'), NOON.toJSON()],
])('%s is the same as its text, in every text field', (_, value, text) => {
	expect(differing(texts, value, text)).toEqual([]);
});

test.each<[string, unknown]>([
	['true', true],
	['false', false],
	['a boolean object', Object(false)],
	['null', null],
	['nothing', undefined],
	['an object', {}],
	['an object with a text', { text: 'a' }],
	['a number with lost digits', 2 ** 53 + 2],
	['NaN', NaN],
	['an invalid Date', new Date(NaN)],
	['a symbol', Symbol('x')],
])('%s is no text, in any text field', (_, value) => {
	const taking = texts.filter(({ read }) => {
		const ruled = read(value);
		return ruled && 'value' in ruled && ruled.value !== undefined;
	});
	expect(taking.map(({ name }) => name)).toEqual([]);
});

test('whatever the text or the number, all read it alike', () => {
	const strings = fc.string({ unit: anyCodePoint, maxLength: 40 });
	fc.assert(
		fc.property(strings, (text) => {
			expect(differing(all, Object(text), text)).toEqual([]);
		}),
		{ numRuns: 10 },
	);
	fc.assert(
		fc.property(fc.maxSafeInteger(), (number) => {
			expect(differing(texts, number, String(number))).toEqual([]);
			expect(differing(texts, BigInt(number), String(number))).toEqual([]);
		}),
		{ numRuns: 10 },
	);
});

test('blocks of a speech read their text and their voice so too', async () => {
	const operations = await allOperations();
	const speech = operations.find(({ action }) => action === 'Generate speech from text');
	if (!speech) throw new Error('there is no such operation');
	const given = (blocksFrom: string, parameter: string, value: unknown) => {
		const good = withValue(requiredOf(speech), 'blocksFrom', blocksFrom);
		return valuesOf(speech, withValue(good, parameter, value), context).rulingOf(parameter);
	};
	const blocks = (text: unknown) => [text, { text, voice: text }, { json: { text } }];
	for (const [value, text] of [
		[7, '7'],
		[10n, '10'],
		[Object(WORD), WORD],
	]) {
		const said = given('json', 'blocksJson', blocks(text));
		expect(said).toEqual({ value: [{ text }, { text, voice: text }, { text }] });
		expect(given('json', 'blocksJson', blocks(value))).toEqual(said);
		const block = [{ text: value, voice: { __rl: true, mode: 'id', value } }];
		expect(given('fields', 'blocks', { block })).toEqual({ value: [{ text, voice: text }] });
	}
});
