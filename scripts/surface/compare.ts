import type { Parameter, Parameters, Surface, Value, Visibility } from './surface';

/** How a change can break workflows that people have saved. */
export type BreakKind =
	| 'removed operation'
	| 'removed or renamed parameter'
	| 'removed option value'
	| 'changed type'
	| 'changed default'
	| 'narrowed visibility';

export interface Break {
	kind: BreakKind;
	/** Node or credential, operation, parameter. */
	where: string;
	/** What exactly. */
	what: string;
}

/**
 * All that worked with the old surface and no longer works, or works otherwise, with the new one.
 */
export function breaksBetween(before: Surface, after: Surface): Break[] {
	const breaks: Break[] = [];
	for (const [node, { operations }] of Object.entries(before.nodes)) {
		for (const [operation, parameters] of Object.entries(operations)) {
			const where = [node, operation].filter(Boolean).join(' ');
			const now = after.nodes[node]?.operations[operation];
			if (!now) breaks.push({ kind: 'removed operation', where, what: 'is gone' });
			else breaks.push(...compareParameters(where, parameters, now));
		}
	}
	for (const [credential, fields] of Object.entries(before.credentials))
		breaks.push(...compareParameters(credential, fields, after.credentials[credential] ?? {}));
	return breaks;
}

function compareParameters(owner: string, before: Parameters, after: Parameters): Break[] {
	return Object.entries(before).flatMap(([path, variants]) => {
		const now = after[path];
		const where = `${owner} ${path}`;
		if (!now) {
			const what = renamedTo(variants, before, after);
			return [{ kind: 'removed or renamed parameter' as const, where, what }];
		}
		const breaks = variants.flatMap((variant) => compareVariant(where, variant, now, after));
		return breaks.filter(
			({ kind, what }, index) =>
				breaks.findIndex((other) => other.kind === kind && other.what === what) === index,
		);
	});
}

/**
 * Names the new parameter that looks like the missing one, because a rename is the likely reason.
 */
function renamedTo(variants: Parameter[], before: Parameters, after: Parameters): string {
	const same = (others: Parameter[]) => JSON.stringify(others) === JSON.stringify(variants);
	const renamed = Object.keys(after).find((path) => !(path in before) && same(after[path] ?? []));
	return renamed ? `is gone, perhaps renamed to ${renamed}` : 'is gone';
}

function compareVariant(
	where: string,
	before: Parameter,
	candidates: Parameter[],
	all: Parameters,
): Break[] {
	return casesOf(before.when).flatMap((values) =>
		compareCase(where, before, values, candidates, all),
	);
}

function compareCase(
	where: string,
	before: Parameter,
	values: Case,
	candidates: Parameter[],
	all: Parameters,
): Break[] {
	const after = candidates.find(({ when }) => covers(when, values, before.when));
	if (after)
		return [...compareValue(where, before, after), ...compareOptions(where, before, after)];
	const [name, known] = undecided(values, candidates, all);
	if (name !== undefined) {
		const cases = known.map((value) => ({ ...values, [name]: value }));
		return cases.flatMap((one) => compareCase(where, before, one, candidates, all));
	}
	const at = Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
	const what = `is no longer shown${at.length ? ` with ${at.join(', ')}` : ' always'}`;
	return [{ kind: 'narrowed visibility', where, what }];
}

/**
 * A list that distinguishes the candidates, with all its options: together they may be shown in
 * every case.
 */
function undecided(
	values: Case,
	candidates: Parameter[],
	all: Parameters,
): [string | undefined, Value[]] {
	const names = candidates.flatMap(({ when }) => Object.keys(when?.show ?? {}));
	const name = names.find((one) => !(one in values) && choicesOf(all[one]).length > 0);
	return [name, name === undefined ? [] : choicesOf(all[name])];
}

const choicesOf = (variants: Parameter[] = []): Value[] =>
	variants.flatMap(({ type, values = [] }) => (type === 'options' ? values : []));

/**
 * A locator holds and takes the text that a plain field held, and a hidden property keeps whatever
 * there is.
 */
const keepsValues = (before: Parameter, after: Parameter): boolean =>
	before.type === after.type ||
	after.type === 'hidden' ||
	(before.type === 'string' && after.type === 'resourceLocator');

const plain = (standard: unknown): string =>
	JSON.stringify(
		typeof standard === 'object' && standard !== null && 'value' in standard
			? standard.value
			: standard,
	);

function compareValue(where: string, before: Parameter, after: Parameter): Break[] {
	const changed = (from: unknown, to: unknown) =>
		`${JSON.stringify(from)} became ${JSON.stringify(to)}`;
	if (!keepsValues(before, after))
		return [{ kind: 'changed type', where, what: changed(before.type, after.type) }];
	const isOther =
		before.type === after.type
			? JSON.stringify(before.default) !== JSON.stringify(after.default)
			: plain(before.default) !== plain(after.default);
	if (isOther)
		return [{ kind: 'changed default', where, what: changed(before.default, after.default) }];
	return [];
}

function compareOptions(where: string, before: Parameter, after: Parameter): Break[] {
	const gone = (before.values ?? []).filter((value) => !(after.values ?? []).includes(value));
	return gone.map((value) => ({
		kind: 'removed option value',
		where,
		what: `${JSON.stringify(value)} is gone`,
	}));
}

type Case = Record<string, unknown>;

/** Each combination of other parameters' values that a condition names. */
function casesOf(when: Visibility = {}): Case[] {
	return Object.entries(when.show ?? {}).reduce<Case[]>(
		(cases, [name, values]) =>
			cases.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
		[{}],
	);
}

/** Whether a condition shows a parameter in a case in which the old condition did. */
function covers(now: Visibility = {}, values: Case, before: Visibility = {}): boolean {
	const among = (list: unknown[], value: unknown) =>
		list.some((one) => JSON.stringify(one) === JSON.stringify(value));
	const shows = Object.entries(now.show ?? {}).every(
		([name, wanted]) => name in values && among(wanted, values[name]),
	);
	const hides = Object.entries(now.hide ?? {}).some(([name, unwanted]) =>
		unwanted.some((value) =>
			name in values
				? JSON.stringify(values[name]) === JSON.stringify(value)
				: !among(before.hide?.[name] ?? [], value),
		),
	);
	return shows && !hides;
}
