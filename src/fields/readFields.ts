import { fail, ok, type Failed, type Result } from '../base/result';
import { isRecord, type Json } from '../base/types';
import { flagOf } from '../base/values';
import type { Field, Mapping } from './operation';
import { ABSENT, isEmptyText, type RuleContext, type Ruled } from './rules';

/** A field that has a value, with its path among the parameters of the node. */
export interface MappedField {
	label: string;
	/** The name of the parameter, dotted within a collection. */
	parameter: string;
	field: Field;
	mapping: Mapping;
}

/** All fields of an operation that have a value, with those in collections. */
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

/** The names in the collections of an operation that are not fields of it. */
export function unknownFields(parameters: Json, fields: Field[]): string[] {
	return fields.flatMap(({ name, fields: inner }) => {
		const values = parameters[name];
		if (!inner || !isRecord(values)) return [];
		const fieldNames = new Set(inner.map((field) => field.name));
		return Object.keys(values)
			.filter((one) => !fieldNames.has(one))
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

/** Whether a value is one that a condition of the editor names. */
const isSame = (value: unknown, wanted: unknown): boolean =>
	value === wanted || (typeof wanted === 'boolean' && flagOf(value) === wanted);

/** The evaluated parameters of one item, and what the rules of its operation say about them. */
export class Values {
	private readonly ruled = new Map<MappedField, Ruled>();

	constructor(
		private readonly fields: MappedField[],
		private readonly parameters: Json,
		private readonly isTool: boolean,
		private readonly context: RuleContext,
	) {}

	/**
	 * The value of the field that a condition names: `/name` is a field at the top of the node, any other
	 * name one in the same collection.
	 */
	private conditionValue(name: string, beside: string): unknown {
		if (name === '@tool') return this.isTool;
		const within = beside.slice(0, beside.lastIndexOf('.') + 1);
		const parameter = name.startsWith('/') ? name.slice(1) : `${within}${name}`;
		const value = given(this.parameters, parameter);
		if (value !== ABSENT && !isEmptyText(value)) return value;
		return this.fields.find((one) => one.parameter === parameter)?.field.default;
	}

	/** Whether the editor shows the field. A hidden field does not count. */
	private isShown({ field, parameter }: MappedField): boolean {
		const { show = {}, hide = {} } = field.displayOptions ?? {};
		const holds = ([name, wanted]: [string, unknown]) => {
			const value = this.conditionValue(name, parameter);
			return [wanted].flat().some((one) => isSame(value, one));
		};
		return Object.entries(show).every(holds) && !Object.entries(hide).some(holds);
	}

	/** A setting at the top of a node always has a value: an empty one stands for its default. */
	private valueOf({ parameter, mapping, field }: MappedField): unknown {
		const value = given(this.parameters, parameter);
		const isTopSetting = mapping.in === 'setting' && !parameter.includes('.');
		return isTopSetting && isEmptyText(value) ? field.default : value;
	}

	/** What the rule of a field says; `undefined` if the editor hides the field. */
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

	/** What the rule says of the first field with this name that the editor shows. */
	rulingOf(parameter: string): Ruled | undefined {
		const fields = this.fields.filter((one) => one.parameter === parameter);
		return fields.map((field) => this.of(field)).find((ruled) => ruled !== undefined);
	}

	/**
	 * The value of a field for the rule of another one. Also `undefined` if the field has a problem, which is
	 * reported by itself.
	 */
	private readonly other = (parameter: string): unknown => {
		const ruled = this.rulingOf(parameter);
		return ruled && 'value' in ruled ? ruled.value : undefined;
	};

	/**
	 * The values of the fields that have a target, in the order of the fields, or the first problem with the
	 * field that has it.
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

/** If a guard was added, an expression without a value must not remove it. */
const EMPTY_GUARD: Ruled = {
	problem: 'is empty, although it was added to keep credits from being spent',
	hint: 'Enter a value, or remove the field',
};
