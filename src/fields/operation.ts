import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { Endpoint } from '../api';
import type { ApiRequest } from '../base/types';
import type { OperationSpec, Settings } from '../creation/item';
import { flag, number, optional, type Rule } from './rules';

/** Settings by their name, and the two parts of one that has parts. */
export type SettingName =
	| Exclude<keyof Settings, 'terminalStatuses' | 'isTool'>
	| 'terminalStatuses.good'
	| 'terminalStatuses.bad';

/** What takes the values of fields in: an object of the request, or the settings of the run. */
type Target = Record<string, unknown>;

/** Where the value of a field goes, and what may stand in it. */
export interface Mapping {
	/** `others`: only the rules of other fields look at it. */
	in: 'body' | 'query' | 'path' | 'setting' | 'others';
	/** Name in the request or of the setting; dots lead into objects. */
	as: string;
	rule: Rule;
	/** Changes the finished target, in the order of the fields, instead of setting a field of it. */
	apply?: (target: Target, value: unknown) => void;
	/**
	 * Whether it keeps money from being spent. Once it is added, it must have a value: an empty one
	 * would lift it.
	 */
	guardsMoney?: boolean;
	/** Whether it keeps anything at all from being sent. */
	guardsSending?: boolean;
}

/**
 * A field of the editor and, where it has a value, what becomes of it. `properties.ts` adds when it shows.
 */
export interface Field extends INodeProperties {
	mapping?: Mapping;
	fields?: Field[];
}

/** An operation is data; everything that can go wrong is handled once, underneath it. */
export interface Operation {
	/** Stable: saved workflows contain it. */
	value: string;
	name: string;
	action: string;
	description: string;
	spec: OperationSpec;
	/** Values of the body that are the same for every request. */
	constants?: Record<string, string>;
	/** The requests for what does not fit into one, in the order of their outputs. */
	split?: (request: ApiRequest) => ApiRequest[];
	fields: Field[];
}

/** What n8n's editor offers as Options, at the end of an operation. */
const OPTIONS = { displayName: 'Options', name: 'options' } as const;

/**
 * The fields of an operation as n8n hands them over. One that changes something has its options even where it
 * offers none: a Dry Run that a model or a script has set beside *Delete* is seen, and not left out in
 * silence.
 */
export function fieldsWithOptions({ fields, spec }: Pick<Operation, 'fields' | 'spec'>): Field[] {
	const hasOptions = fields.some(({ name }) => name === OPTIONS.name);
	if (hasOptions || spec.endpoint.method === 'GET') return fields;
	return [...fields, { ...OPTIONS, type: 'hidden', default: {}, fields: [] }];
}

/** Sent in the body; the name may be dotted, such as `parameters.count`. */
export const inBody = (as: string, rule: Rule): Mapping => ({ in: 'body', as, rule });
export const inQuery = (as: string, rule: Rule): Mapping => ({ in: 'query', as, rule });
/** Fills `{name}` in the path of the endpoint. */
export const inPath = (as: string, rule: Rule): Mapping => ({ in: 'path', as, rule });
/** A setting of the run. */
export const asSetting = (as: SettingName, rule: Rule): Mapping => ({ in: 'setting', as, rule });
/** Read by the rule of another field. */
export const forOthers = (rule: Rule): Mapping => ({ in: 'others', as: '', rule });

/** The options of a field: all values of the type that the code decides by, and no other. */
export const optionList = <T extends string>(
	texts: Record<T, Omit<INodePropertyOptions, 'value'>>,
): INodePropertyOptions[] =>
	(Object.keys(texts) as T[]).map((value) => ({ ...texts[value], value }));

/** Without a locale, whose rules take a tenth of the time to load all nodes. The labels are plain English. */
const byLabel = (one: Field, other: Field) =>
	one.displayName.toLowerCase() < other.displayName.toLowerCase() ? -1 : 1;

/** Optional fields, of which only those that were added are sent, in the order of their labels. */
export const collection = (
	ui: Pick<Field, 'displayName' | 'name' | 'placeholder' | 'description'>,
	fields: Field[],
): Field => ({ ...ui, type: 'collection', default: {}, fields: [...fields].sort(byLabel) });

/** What few users need, at the end of an operation. */
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

/** The fields of an update: what was not added stays as it is. */
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

/** Offered where entries are large. */
export const simplify: Field = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
	mapping: asSetting('simplify', flag()),
};

/** @param what such as `a persona`, of a list such as `personas` */
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
