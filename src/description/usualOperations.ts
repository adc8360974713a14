import type { Endpoint } from '../contract';
import type { OperationSpec } from '../transport/run/item';
import { listFields, simplify } from './fields/list';
import type { Field, Operation } from './operation';

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
