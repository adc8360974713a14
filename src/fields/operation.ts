import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { Endpoint } from '../api';
import type { ApiRequest } from '../base/types';
import type { Settings } from '../creation/item';
import type { OperationSpec } from '../creation/operationSpec';
import { flag, number, optional, type Rule } from './rules';

/** The names of settings, and of the two parts of a setting that has parts. */
export type SettingName =
	| Exclude<keyof Settings, 'terminalStatuses' | 'isTool'>
	| 'terminalStatuses.good'
	| 'terminalStatuses.bad';

/** What the values of fields are put into: an object of the request, or the settings of the run. */
type Target = Record<string, unknown>;

/** Where the value of a field goes, and which values it may have. */
export interface Mapping {
	/** `others`: the value is only read by the rules of other fields. */
	in: 'body' | 'query' | 'path' | 'setting' | 'others';
	/** The name in the request, or of the setting. Dots lead into objects. */
	as: string;
	rule: Rule;
	/** Changes the finished object instead of setting a field of it, in the order of the fields. */
	apply?: (target: Target, value: unknown) => void;
	/**
	 * Whether the field keeps credits from being spent. Once it is added it must have a value, because an
	 * empty one would remove the guard.
	 */
	guardsMoney?: boolean;
	/** The setting that must be on for the field to guard anything. */
	guardsWith?: string;
	/** Whether it keeps any request from being sent. */
	guardsSending?: boolean;
}

/** A field of the editor, and what becomes of its value. `properties.ts` adds when the editor shows it. */
export interface Field extends INodeProperties {
	mapping?: Mapping;
	fields?: Field[];
}

/** An operation is data. All that can go wrong with one is handled once, in the code that runs it. */
export interface Operation {
	/** The value of the operation in saved workflows. It must not change. */
	value: string;
	name: string;
	action: string;
	description: string;
	spec: OperationSpec;
	/** Values of the body that are the same in every request. */
	constants?: Record<string, string>;
	/** The requests for an item that does not fit into one, in the order of their outputs. */
	split?: (request: ApiRequest) => ApiRequest[];
	fields: Field[];
}

/** The collection *Options* at the end of an operation. */
const OPTIONS = { displayName: 'Options', name: 'options' } as const;

/**
 * The fields of an operation as n8n passes them on. An operation that changes something accepts options even
 * if it shows none: if an agent or a script has set a Dry Run for *Delete*, that must be seen and not
 * silently ignored.
 */
export function fieldsWithOptions({ fields, spec }: Pick<Operation, 'fields' | 'spec'>): Field[] {
	const hasOptions = fields.some(({ name }) => name === OPTIONS.name);
	if (hasOptions || spec.endpoint.method === 'GET') return fields;
	return [...fields, { ...OPTIONS, type: 'hidden', default: {}, fields: [] }];
}

/** The value is sent in the body. The name may be dotted, such as `parameters.count`. */
export const inBody = (as: string, rule: Rule): Mapping => ({ in: 'body', as, rule });
export const inQuery = (as: string, rule: Rule): Mapping => ({ in: 'query', as, rule });
/** The value fills `{name}` in the path of the endpoint. */
export const inPath = (as: string, rule: Rule): Mapping => ({ in: 'path', as, rule });
/** The value is a setting of the run. */
export const asSetting = (as: SettingName, rule: Rule): Mapping => ({ in: 'setting', as, rule });
/** The value is read by the rule of another field. */
export const forOthers = (rule: Rule): Mapping => ({ in: 'others', as: '', rule });

/** The options of a dropdown: all values of the type by which the code decides, and no others. */
export const optionList = <T extends string>(
	texts: Record<T, Omit<INodePropertyOptions, 'value'>>,
): INodePropertyOptions[] =>
	(Object.keys(texts) as T[]).map((value) => ({ ...texts[value], value }));

/**
 * Compares labels without the rules of a locale: these would take a tenth of the time to load all nodes, and
 * the labels are plain English.
 */
const byLabel = (one: Field, other: Field) =>
	one.displayName.toLowerCase() < other.displayName.toLowerCase() ? -1 : 1;

/** A collection of optional fields, in the order of their labels. Only those that were added are sent. */
export const collection = (
	ui: Pick<Field, 'displayName' | 'name' | 'placeholder' | 'description'>,
	fields: Field[],
): Field => ({ ...ui, type: 'collection', default: {}, fields: [...fields].sort(byLabel) });

/** Optional fields that few users need, at the end of an operation. */
export const options = (fields: Field[]): Field =>
	collection({ ...OPTIONS, placeholder: 'Add option' }, fields);

export const additionalFields = (fields: Field[]): Field =>
	collection(
		{ displayName: 'Additional Fields', name: 'additionalFields', placeholder: 'Add field' },
		fields,
	);

function forUpdate(field: Field): Field {
	const { mapping } = field;
	const ofUpdate = mapping && { ...mapping, rule: optional(mapping.rule) };
	return { ...field, required: false, mapping: ofUpdate };
}

export const UPDATE_FIELDS = 'updateFields';

/** The fields of an update. What was not added stays as it is. */
export const updateFields = (fields: Field[]): Field =>
	collection(
		{
			displayName: 'Update Fields',
			name: UPDATE_FIELDS,
			placeholder: 'Add field',
			description: 'What to change. Add only those fields; at least one is needed.',
		},
		fields.map(forUpdate),
	);

function withoutLimit(settings: Target, isWanted: unknown): void {
	if (isWanted) settings.limit = Infinity;
}

export const listFields: Field[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
		mapping: { ...asSetting('limit', flag()), apply: withoutLimit },
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1 },
		displayOptions: { show: { returnAll: [false] } },
		default: 50,
		description: 'Max number of results to return',
		mapping: asSetting('limit', number({ min: 1, integer: true })),
	},
];

/** Whether to simplify the output. Offered if entries are large. */
export const simplify: Field = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
	mapping: asSetting('simplify', flag()),
};

/** @param what the resource in words, such as `a persona`, or `personas` for a list */
type MakeOperation = (
	what: string,
	endpoint: Endpoint,
	fields?: Field[],
	spec?: Partial<OperationSpec>,
) => Operation;

export const getOperation: MakeOperation = (what, endpoint, fields = [], spec) => ({
	value: 'get',
	name: 'Get',
	action: `Get ${what}`,
	description: `Read ${what}. Costs nothing.`,
	spec: { endpoint, output: 'resource', ...spec },
	fields,
});

export const getManyOperation: MakeOperation = (what, endpoint, fields = [], spec = {}) => {
	const own = [...fields, ...listFields];
	return {
		value: 'getAll',
		name: 'Get Many',
		action: `Get many ${what}`,
		description: `List the ${what} of the workspace. Costs nothing.`,
		spec: { endpoint, output: 'list', ...spec },
		fields: spec.simplify ? [...own, simplify] : own,
	};
};

export const deleteOperation: MakeOperation = (what, endpoint, fields = [], spec) => ({
	value: 'delete',
	name: 'Delete',
	action: `Delete ${what}`,
	description: `Permanently delete ${what}. Costs nothing.`,
	spec: { endpoint, output: 'deleted', ...spec },
	fields,
});
