import { fail, ok, type Failed, type Result } from '../base/result';
import { isRecord, type Json } from '../base/types';
import { flagOf } from '../base/values';
import type { Field, Mapping } from './operation';
import { ABSENT, isEmptyText, type RuleContext, type Ruled } from './rules';

/** A field that has a value, with its path among the node's parameters. */
export interface MappedField {
	label: string;
	/** Name of the parameter, dotted within a collection. */
	parameter: string;
	field: Field;
	mapping: Mapping;
}

/** All fields of an operation that have a value, those of collections included. */
export function mappedFields(fields: Field[], within = ''): MappedField[] {
	return fields.flatMap((field) => {
		const { displayName: label, name, mapping, fields: inner = [] } = field;
		const parameter = `${within}${name}`;
		const own = mapping ? [{ label, parameter, field, mapping }] : [];
		return [...own, ...mappedFields(inner, `${parameter}.`)];
	});
}

export const fieldProblem = (field: string, problem: string, hint?: string): Failed =>
	fail({ kind: 'input', field, problem, hint });

/** What stands in the collections of an operation although it has no such fields, by their names. */
export function unknownFields(parameters: Json, fields: Field[]): string[] {
	return fields.flatMap(({ name, fields: inner }) => {
		const values = parameters[name];
		if (!inner || !isRecord(values)) return [];
		const known = new Set(inner.map((field) => field.name));
		return Object.keys(values)
			.filter((one) => !known.has(one))
			.map((one) => `${name}.${one}`);
	});
}

/** The value at a dotted path, or that there is none. */
function given(parameters: Json, path: string): unknown {
	let value: unknown = parameters;
	for (const name of path.split('.')) {
		if (!isRecord(value) || !Object.hasOwn(value, name)) return ABSENT;
		value = value[name];
	}
	return value;
}

/** Whether a value is the one that a condition of the editor names. */
const isSame = (value: unknown, wanted: unknown): boolean =>
	value === wanted || (typeof wanted === 'boolean' && flagOf(value) === wanted);

/** The evaluated parameters of one item, and what the rules of an operation say to them. */
export class Values {
	private readonly ruled = new Map<MappedField, Ruled>();

	constructor(
		private readonly fields: MappedField[],
		private readonly parameters: Json,
		private readonly isTool: boolean,
		private readonly context: RuleContext,
	) {}

	/** By the field that a condition names: `/name` is one of the node, any other one beside it. */
	private conditionValue(name: string, beside: string): unknown {
		if (name === '@tool') return this.isTool;
		const within = beside.slice(0, beside.lastIndexOf('.') + 1);
		const parameter = name.startsWith('/') ? name.slice(1) : `${within}${name}`;
		const value = given(this.parameters, parameter);
		if (value !== ABSENT && !isEmptyText(value)) return value;
		return this.fields.find((one) => one.parameter === parameter)?.field.default;
	}

	/** Whether the editor shows the field. What it hides does not count. */
	private isShown({ field, parameter }: MappedField): boolean {
		const { show = {}, hide = {} } = field.displayOptions ?? {};
		const holds = ([name, wanted]: [string, unknown]) => {
			const value = this.conditionValue(name, parameter);
			return [wanted].flat().some((one) => isSame(value, one));
		};
		return Object.entries(show).every(holds) && !Object.entries(hide).some(holds);
	}

	/** A setting at the top of a node always has a value: an empty one is that of a new node. */
	private valueOf({ parameter, mapping, field }: MappedField): unknown {
		const value = given(this.parameters, parameter);
		const isTopSetting = mapping.in === 'setting' && !parameter.includes('.');
		return isTopSetting && isEmptyText(value) ? field.default : value;
	}

	/** What the rule of a field says; `undefined` where the editor hides the field. */
	of(field: MappedField): Ruled | undefined {
		if (!this.isShown(field)) return undefined;
		const known = this.ruled.get(field);
		if (known) return known;
		const value = this.valueOf(field);
		const { rule, guardsMoney } = field.mapping;
		const liftsGuard = guardsMoney && isEmptyText(value);
		const ruled = liftsGuard ? EMPTY_GUARD : rule(value, { ...this.context, other: this.other });
		this.ruled.set(field, ruled);
		return ruled;
	}

	/** What is said of the first field of this name that the editor shows. */
	rulingOf(parameter: string): Ruled | undefined {
		const fields = this.fields.filter((one) => one.parameter === parameter);
		return fields.map((field) => this.of(field)).find((ruled) => ruled !== undefined);
	}

	/**
	 * For the rule of another field. `undefined` also where there is a problem, which is reported by itself.
	 */
	private readonly other = (parameter: string): unknown => {
		const ruled = this.rulingOf(parameter);
		return ruled && 'value' in ruled ? ruled.value : undefined;
	};

	/**
	 * The values of the fields with a target, in the order of the fields; the first problem names its field.
	 */
	checked(isWanted: (mapping: Mapping) => boolean): Result<Array<[Mapping, unknown]>> {
		const found: Array<[Mapping, unknown]> = [];
		for (const field of this.fields.filter(({ mapping }) => isWanted(mapping))) {
			const ruled = this.of(field);
			if (ruled === undefined) continue;
			if ('problem' in ruled) return fieldProblem(field.label, ruled.problem, ruled.hint);
			if (ruled.value !== undefined) found.push([field.mapping, ruled.value]);
		}
		return ok(found);
	}
}

/** A guard that was added must not be lifted by an expression without a value. */
const EMPTY_GUARD: Ruled = {
	problem: 'is empty, although it was added to keep credits from being spent',
	hint: 'Enter a value, or remove the field',
};
