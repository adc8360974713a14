import type { IBinaryData } from 'n8n-workflow';
import { mappedFields, type MappedField } from '../../src/fields/readFields';
import type { Operation } from '../../src/fields/operation';
import { ABSENT, type Ruled } from '../../src/fields/rules';
import { buildSettings } from '../../src/fields/buildRequest';
import { usualSettings } from '../../src/fields/settings';
import { BinaryReference } from '../../src/run/uploads';
import { goodFor, requiredOf, showing, withValue } from '../support/goodValues';
import { allOperations } from '../support/operations';
import { context, requestOf, valuesOf } from '../support/rules';
import { filesIn, read } from '../support/sources';

/** What an expression gives that gives nothing: nobody enters it on purpose. */
const NOTHING: Record<string, unknown> = {
	undefined: undefined,
	null: null,
	'an empty list': [],
	'a list of nothing': [null, undefined],
};

/** Texts in which there is nothing to see: they leave a field out. */
const EMPTY: Record<string, unknown> = {
	'an empty text': '',
	blanks: ' \n\t ',
	'U+200B': '\u200b',
	'a byte order mark': '\ufeff',
	NUL: '\u0000',
};

const SOMETHING: Record<string, unknown> = {
	TRUE: 'TRUE',
	'false as text': 'false',
	true: true,
	false: false,
	one: 1,
	zero: 0,
	'one as text': '1',
	NaN: NaN,
	Infinity,
	'a number with lost digits': 2 ** 53 + 2,
	'a big integer': 10n,
	'an empty object': {},
	'an object with a URL': { url: 'https://example.com/a.png' },
	'our own outputs': [{ id: 'o', url: 'https://example.com/a.png', media_type: 'image/png' }],
	'a binary object': context.files.data satisfies IBinaryData | undefined,
	'a list with null': [null, 'https://example.com/a.png'],
	'a nested list': [[['a']]],
	'JSON in a fence': '```json\n{"a": 1}\n```',
	'JSON with a key that vanishes': '{"__proto__": {"a": 1}, "b": 1}',
	'an object of which something is lost': { a: undefined },
	'half an emoji': 'a\ud83d',
	'a text with NUL': 'a\u0000b',
	'a name with blanks around it': ' studio/image-1\u200b',
	'a date': new Date('2026-01-31T12:00:00Z'),
	'a date in another order': '12/31/2026',
	'an object': { a: 1 },
	'a locator without its mark': { mode: 'id', value: 'studio/image-1' },
	'an empty locator': { __rl: true, mode: 'list', value: '' },
	'an empty locator without its mark': { mode: 'list', value: '' },
	'a function': () => 1,
};

/** Values that say that there is nothing, by the kind of field that takes them so. */
const SAYS_NOTHING: Record<string, (field: MappedField) => boolean> = {
	'an empty object': ({ field }) => field.type === 'json',
	'an empty locator': ({ field }) => field.type === 'resourceLocator',
	'an empty locator without its mark': ({ field }) => field.type === 'resourceLocator',
};

interface Case {
	operation: Operation;
	field: MappedField;
}

/** What becomes of one value in one field, the others of its operation being good. */
function outcome({ operation, field }: Case, value: unknown): Ruled | undefined {
	const good = showing(requiredOf(operation), field);
	const parameters = value === ABSENT ? good : withValue(good, field.parameter, value);
	const values = valuesOf(operation, parameters);
	return values.rulingOf(field.parameter);
}

/** What goes out or into the settings of the run. */
function textsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	if (value instanceof BinaryReference) return [];
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([name, inner]) => [name, ...textsIn(inner)]);
}

const SPOILED = /[\0\p{Surrogate}]|\[object |^(undefined|null|NaN|Infinity)$/u;

async function cases(): Promise<Case[]> {
	return (await allOperations()).flatMap((operation) =>
		mappedFields(operation.fields).map((field) => ({ operation, field })),
	);
}

const nameOf = ({ operation, field }: Case) => `${operation.action}: ${field.parameter}`;

async function failing(
	kinds: Record<string, unknown>,
	wrong: (ruled: Ruled | undefined, one: Case, kind: string) => boolean,
): Promise<string[]> {
	const found: string[] = [];
	for (const one of await cases()) {
		for (const [kind, value] of Object.entries(kinds)) {
			if (wrong(outcome(one, value), one, kind)) found.push(`${nameOf(one)} with ${kind}`);
		}
	}
	return found;
}

const isRefused = (ruled: Ruled | undefined): boolean => ruled !== undefined && 'problem' in ruled;
const isUsed = (ruled: Ruled | undefined): boolean =>
	ruled !== undefined && 'value' in ruled && ruled.value !== undefined;

test('what was added and gives nothing is a problem of the item', async () => {
	expect(await failing(NOTHING, (ruled) => !isRefused(ruled))).toEqual([]);
});

test('an empty text leaves a field out, or is a problem: it never decides anything', async () => {
	const decides = (ruled: Ruled | undefined, { operation, field }: Case) => {
		if (!isUsed(ruled)) return false;
		const isUsual = field.mapping.in === 'setting' && !field.parameter.includes('.');
		const isClearing = operation.value === 'update' && field.mapping.as === 'description';
		return !isUsual && !isClearing;
	};
	expect(await failing(EMPTY, decides)).toEqual([]);
});

test('anything else is used or refused: nothing is left out in silence', async () => {
	const silent = (ruled: Ruled | undefined, { field }: Case, kind: string) =>
		!isRefused(ruled) && !isUsed(ruled) && !SAYS_NOTHING[kind]?.(field);
	expect(await failing(SOMETHING, silent)).toEqual([]);
});

test('what is used can be sent, and is no word for nothing', async () => {
	const spoiled = (ruled: Ruled | undefined) =>
		isUsed(ruled) &&
		textsIn((ruled as { value: unknown }).value).some((text) => SPOILED.test(text));
	expect(await failing({ ...SOMETHING, ...EMPTY, ...NOTHING }, spoiled)).toEqual([]);
});

test('what is refused is told on one line, with what came and without angle brackets', async () => {
	const untold = (ruled: Ruled | undefined) =>
		isRefused(ruled) && !/^[^\n\r<>]{5,300}$/.test((ruled as { problem: string }).problem);
	expect(await failing({ ...SOMETHING, ...EMPTY, ...NOTHING }, untold)).toEqual([]);
});

const guards = async () => (await cases()).filter(({ field }) => field.mapping.guardsMoney);

test('what keeps money from being spent is on, or an error, whatever gives nothing', async () => {
	const found = await guards();
	expect(new Set(found.map(({ field }) => field.field.name))).toEqual(
		new Set(['dryRun', 'idempotency', 'maxCredits', 'singleFile']),
	);
	const open: string[] = [];
	for (const one of found) {
		const { operation, field } = one;
		const shown = showing(requiredOf(operation), field);
		for (const [kind, value] of Object.entries({ ...NOTHING, ...EMPTY, NaN, object: {} })) {
			const parameters = withValue(shown, field.parameter, value);
			const request = requestOf(operation, parameters);
			const settings = buildSettings(valuesOf(operation, parameters), usualSettings({}, false));
			if (request.ok && settings.ok) open.push(`${nameOf(one)} with ${kind}`);
		}
	}
	expect(open).toEqual([]);
});

/** Fields that speak of money and do not keep it from being spent. */
const NO_GUARD = ['allowBudgetBelowEstimate', 'creditWaitTimeout', 'onInsufficientCredits'];

test('a field that speaks of a limit of money bears its mark, whoever adds it', async () => {
	const speaks = ({ field: { field, mapping } }: Case) =>
		/credit|budget|dry run|paying|paid twice/i.test(`${field.name} ${field.displayName}`) &&
		!NO_GUARD.includes(field.name) &&
		!mapping.guardsMoney;
	expect((await cases()).filter(speaks).map(nameOf)).toEqual([]);
});
