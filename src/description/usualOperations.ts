import type { Endpoint } from '../contract';
import type { OperationSpec } from '../transport/run/item';
import type { Field, Operation } from './operation';

/** Return All and Limit; the transport reads both and follows the cursor. */
export const listFields: Field[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1 },
		displayOptions: { show: { returnAll: [false] } },
		default: 50,
		description: 'Max number of results to return',
	},
];

/** Offered where entries are large. */
export const simplify: Field = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
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

export const getManyOperation: MakeOperation = (what, endpoint, fields = [], spec) => ({
	value: 'getAll',
	name: 'Get Many',
	action: `Get many ${what}`,
	description: `List the ${what} of the workspace. Costs nothing.`,
	spec: { endpoint, output: 'list', ...spec },
	fields: [...fields, ...listFields, ...(spec?.simplify ? [simplify] : [])],
});

export const deleteOperation: MakeOperation = (what, endpoint, fields = [], spec) => ({
	value: 'delete',
	name: 'Delete',
	action: `Delete ${what}`,
	description: `Permanently delete ${what}. Costs nothing.`,
	spec: { endpoint, output: 'deleted', ...spec },
	fields,
});
