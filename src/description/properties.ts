import type {
	IDisplayOptions,
	INodeProperties,
	INodePropertyOptions,
	INodePropertyRouting,
} from 'n8n-workflow';
import type { OperationSpec } from '../transport/run/item';
import { runner } from '../transport/run/runner';
import type { Labels } from '../transport/run/texts';
import { mappedFields } from './buildRequest';
import type { Field, Operation, RequestMapping } from './operation';
import { preSend } from './preSend';

type Show = NonNullable<IDisplayOptions['show']>;

/** Labels of the editor by the service's names of the fields. */
const labelsOf = ({ fields }: Operation): Labels =>
	Object.fromEntries(mappedFields(fields).map(({ mapping, label }) => [mapping.as, label]));

/**
 * The specification of the operation, with the parameters by which the user can change the request.
 */
const withParameters = ({ spec, fields }: Operation): OperationSpec => ({
	...spec,
	parameters: mappedFields(fields).map(({ parameter }) => parameter),
});

/** The request of an operation, and the two functions that all operations share. */
function routingOf(operation: Operation): INodePropertyRouting {
	const { method, path } = operation.spec.endpoint;
	return {
		request: { method, url: path },
		send: { preSend: [preSend(operation)], paginate: true },
		operations: { pagination: runner(withParameters(operation), labelsOf(operation)) },
	};
}

function sendRouting({
	in: target,
	as,
	asOneValue,
}: RequestMapping): INodePropertyRouting | undefined {
	if (asOneValue || target === 'path') return undefined;
	return { send: { type: target, property: as } };
}

function property({ mapping, fields, ...ui }: Field, show?: Show): INodeProperties {
	const routing = mapping && sendRouting(mapping);
	const { displayOptions } = ui;
	return {
		...ui,
		...(routing && { routing }),
		...(fields && { options: fields.map((field) => property(field)) }),
		...(show && {
			displayOptions: { ...displayOptions, show: { ...show, ...displayOptions?.show } },
		}),
	};
}

const option = (operation: Operation): INodePropertyOptions => {
	const { name, value, action, description } = operation;
	return { name, value, action, description, routing: routingOf(operation) };
};

/** The most likely choice: to create something. */
const defaultOperation = (operations: Operation[]): Operation | undefined =>
	operations.find(({ value }) => value === 'create') ?? operations[0];

function operationProperty(operations: Operation[], show?: Show): INodeProperties {
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		...(show && { displayOptions: { show } }),
		options: operations.map(option),
		default: defaultOperation(operations)?.value ?? '',
	};
}

/** The properties of a node with one resource: its operations, then the fields of each. */
function operationProperties(operations: Operation[], show?: Show): INodeProperties[] {
	const fields = operations.flatMap(({ value, fields: ownFields }) =>
		ownFields.map((field) => property(field, { ...show, operation: [value] })),
	);
	return [operationProperty(operations, show), ...fields];
}

/**
 * The properties of a node with a single resource, which is not shown: n8n passes what an
 * operation does, its `action`, to an AI agent only where the operation depends on a resource.
 */
export function singleResourceProperties({
	value,
	name,
	operations,
}: NodeResource): INodeProperties[] {
	const resource: INodeProperties = {
		displayName: 'Resource',
		name: 'resource',
		type: 'hidden',
		noDataExpression: true,
		options: [{ name, value }],
		default: value,
	};
	const [operation, ...fields] = operationProperties(operations);
	const dependent = { ...operation, displayOptions: { show: { resource: [value] } } };
	return [resource, dependent as INodeProperties, ...fields];
}

/** A resource of a node. */
export interface NodeResource {
	value: string;
	name: string;
	operations: Operation[];
}

/**
 * The properties of a node with several resources: which one, then the operations and fields of
 * each.
 */
export function resourceProperties(resources: NodeResource[]): INodeProperties[] {
	const resource: INodeProperties = {
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: resources.map(({ value, name }) => ({ value, name })),
		default: resources[0]?.value ?? '',
	};
	const operations = resources.flatMap(({ value, operations }) =>
		operationProperties(operations, { resource: [value] }),
	);
	return [resource, ...operations];
}
