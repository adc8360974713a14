import type { IBinaryData } from 'n8n-workflow';
import { mappedFields, type MappedField } from '../../src/fields/readFields';
import type { Operation } from '../../src/fields/operation';
import type { Ruled } from '../../src/fields/rules';
import { buildSettings } from '../../src/fields/buildRequest';
import { usualSettings } from '../../src/fields/settings';
import { BinaryReference } from '../../src/files/localFile';
import { requiredOf, showing, withValue } from '../support/goodValues';
import { allOperations } from '../support/operations';
import { context, requestOf, valuesOf } from '../support/rules';

/** What an expression gives that gives nothing: nobody enters it on purpose. */
const NOTHING: Record<string, unknown> = {
	undefined: undefined,
	null: null,
	'an empty list': [],
};

/** Texts in which there is nothing to see: they leave a field out. */
const EMPTY: Record<string, unknown> = {
	'an empty text': '',
	blanks: ' \n\t ',
	'U+200B': '\u200b',
	NUL: '\u0000',
};

const circular: Record<string, unknown> = {};
circular.self = circular;

const no = () => {
	throw new Error('no');
};

const SOMETHING: Record<string, unknown> = {
	'false as text': 'false',
	true: true,
	false: false,
	one: 1,
	NaN: NaN,
	Infinity,
	'a number with lost digits': 2 ** 53 + 2,
	'a big integer': 10n,
	'an empty object': {},
	'a binary object': context.files.data satisfies IBinaryData | undefined,
	'an object of which something is lost': { a: undefined },
	'half an emoji': 'a\ud83d',
	'a text with NUL': 'a\u0000b',
	'a date': new Date('2026-01-31T12:00:00Z'),
	'a locator without its mark': { mode: 'id', value: 'studio/image-1' },
	'an empty locator': { __rl: true, mode: 'list', value: '' },
	'an empty locator without its mark': { mode: 'list', value: '' },
	'a symbol': Symbol('x'),
	'an object that holds itself': circular,
	'an object that fights back': new Proxy({}, { ownKeys: no }),
	'an object whose JSON fails': { toJSON: no },
};

/** Values that say that there is nothing, by the kind of field that takes them so. */
const SAYS_NOTHING: Record<string, (field: MappedField) => boolean> = {
	'an empty object': ({ field }) => field.type === 'json',
	'an empty locator': ({ field }) => field.type === 'resourceLocator',
	'an empty locator without its mark': ({ field }) => field.type === 'resourceLocator',
};

/** What has become of one value in one field, the others of its operation being good. */
interface Outcome {
	operation: Operation;
	field: MappedField;
	kind: string;
	ruled: Ruled | undefined;
}

let fields: Array<Pick<Outcome, 'operation' | 'field'>>;
let outcomes: Outcome[];

beforeAll(async () => {
	fields = (await allOperations()).flatMap((operation) =>
		mappedFields(operation.fields).map((field) => ({ operation, field })),
	);
	const kinds = Object.entries({ ...NOTHING, ...EMPTY, ...SOMETHING });
	outcomes = fields.flatMap(({ operation, field }) => {
		const good = showing(requiredOf(operation), field);
		return kinds.map(([kind, value]) => {
			const values = valuesOf(operation, withValue(good, field.parameter, value));
			return { operation, field, kind, ruled: values.rulingOf(field.parameter) };
		});
	});
});

/** What goes out or into the settings of the run. */
function textsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	if (value instanceof BinaryReference) return [];
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([name, inner]) => [name, ...textsIn(inner)]);
}

const SPOILED = /[\0\p{Surrogate}]|\[object |^(undefined|null|NaN|Infinity)$/u;

const nameOf = ({
	operation,
	field,
	kind,
}: Pick<Outcome, 'operation' | 'field'> & { kind?: string }) =>
	`${operation.action}: ${field.parameter}${kind === undefined ? '' : ` with ${kind}`}`;

const failing = (isWrong: (one: Outcome) => boolean): string[] =>
	outcomes.filter(isWrong).map(nameOf);

const problemOf = ({ ruled }: Outcome): string | undefined =>
	ruled && 'problem' in ruled ? ruled.problem : undefined;
const usedOf = ({ ruled }: Outcome): unknown =>
	ruled && 'value' in ruled ? ruled.value : undefined;

test('what was added and gives nothing is a problem of the item', () => {
	expect(failing((one) => one.kind in NOTHING && problemOf(one) === undefined)).toEqual([]);
});

test('an empty text leaves a field out, or is a problem: it never decides anything', () => {
	const decides = (one: Outcome) => {
		const { operation, field, kind } = one;
		if (!(kind in EMPTY) || usedOf(one) === undefined) return false;
		const isUsual = field.mapping.in === 'setting' && !field.parameter.includes('.');
		const isClearing = operation.value === 'update' && field.mapping.as === 'description';
		return !isUsual && !isClearing;
	};
	expect(failing(decides)).toEqual([]);
});

test('anything else is used or refused: nothing is left out in silence', () => {
	const isSilent = (one: Outcome) =>
		one.kind in SOMETHING &&
		problemOf(one) === undefined &&
		usedOf(one) === undefined &&
		!SAYS_NOTHING[one.kind]?.(one.field);
	expect(failing(isSilent)).toEqual([]);
});

test('what is used can be sent, and is no word for nothing', () => {
	const isSpoiled = (one: Outcome) => textsIn(usedOf(one)).some((text) => SPOILED.test(text));
	expect(failing(isSpoiled)).toEqual([]);
});

test('whatever takes a file of the item takes one of another node, and no other', () => {
	const own = context.files.data;
	const foreign = { ...own, id: 'filesystem-v2:other' } as IBinaryData;
	const found = { name: 'photo of Get file', file: foreign };
	const given = {
		...context,
		findFile: ({ id }: { id?: unknown }) => (id === foreign.id ? found : undefined),
	};
	const takes = (file: object) =>
		fields.filter(({ operation, field }) => {
			const good = withValue(showing(requiredOf(operation), field), field.parameter, file);
			const ruled = valuesOf(operation, good, given).rulingOf(field.parameter);
			const value = ruled && 'value' in ruled ? ruled.value : undefined;
			return [value].flat().some((one) => one instanceof BinaryReference);
		});
	const taking = takes({ ...own });
	expect(taking.length).toBeGreaterThan(10);
	expect(takes({ ...foreign }).map(nameOf)).toEqual(taking.map(nameOf));
	expect(takes({ ...foreign, id: 'filesystem-v2:stranger' })).toEqual([]);
});

test('what is refused is told on one line, with what came and without angle brackets', () => {
	const isUntold = (one: Outcome) => !/^[^\n\r<>]{5,300}$/.test(problemOf(one) ?? 'none of it');
	expect(failing(isUntold)).toEqual([]);
});

test('what keeps money from being spent is on, or an error, whatever gives nothing', () => {
	const found = fields.filter(({ field }) => field.mapping.guardsMoney);
	expect(new Set(found.map(({ field }) => field.field.name))).toEqual(
		new Set(['dryRun', 'idempotency', 'maxCredits', 'maxCreditsPerDay', 'singleFile']),
	);
	const open: string[] = [];
	for (const one of found) {
		const { operation, field } = one;
		const shown = showing(requiredOf(operation), field);
		for (const [kind, value] of Object.entries({ ...NOTHING, ...EMPTY, NaN, object: {} })) {
			const parameters = withValue(shown, field.parameter, value);
			const request = requestOf(operation, parameters);
			const settings = buildSettings(valuesOf(operation, parameters), usualSettings({}, false));
			if (request.ok && settings.ok) open.push(nameOf({ ...one, kind }));
		}
	}
	expect(open).toEqual([]);
});

/** Fields that speak of money and do not keep it from being spent. */
const NO_GUARD = ['allowBudgetBelowEstimate', 'creditWaitTimeout', 'onInsufficientCredits'];

test('a field that speaks of a limit of money bears its mark, whoever adds it', () => {
	const speaks = ({ field: { field, mapping } }: Pick<Outcome, 'field'>) =>
		/credit|budget|dry run|paying|paid twice/i.test(`${field.name} ${field.displayName}`) &&
		!NO_GUARD.includes(field.name) &&
		!mapping.guardsMoney;
	expect(fields.filter(speaks).map(nameOf)).toEqual([]);
});
