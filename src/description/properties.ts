import type {
	IDisplayOptions,
	INodeProperties,
	INodePropertyOptions,
	INodePropertyRouting,
} from 'n8n-workflow';
import { runner } from '../transport/runner';
import type { Field, Operation, Sent } from './operation';
import { prepare } from './prepare';

type Show = NonNullable<IDisplayOptions['show']>;

/** The request of an operation, and the two functions that all operations share. */
function routingOf(operation: Operation): INodePropertyRouting {
	const { method, path } = operation.plan.endpoint;
	return {
		request: { method, url: path },
		send: { preSend: [prepare(operation)], paginate: true },
		operations: { pagination: runner(operation.plan) },
	};
}

/** Path values have no routing of their own: the hook reads them. */
function sending({ in: place, as }: Sent): INodePropertyRouting | undefined {
	if (place === 'path') return undefined;
	return { send: { type: place, property: as } };
}

function property({ ui, sent, fields }: Field, show?: Show): INodeProperties {
	const routing = sent && sending(sent);
	const { displayOptions } = ui;
	return {
		...ui,
		...(routing && { routing }),
		...(fields && { options: fields.map((field) => property(field)) }),
		...(show && { displayOptions: { ...displayOptions, show: { ...show, ...displayOptions?.show } } }),
	};
}

const option = (operation: Operation): INodePropertyOptions => {
	const { name, value, action, description } = operation;
	return { name, value, action, description, routing: routingOf(operation) };
};

function operationProperty(operations: Operation[], show?: Show): INodeProperties {
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		...(show && { displayOptions: { show } }),
		options: operations.map(option),
		default: operations[0]?.value ?? '',
	};
}

/** The properties of a node with one resource: its operations, then the fields of each. */
export function operationProperties(operations: Operation[], show?: Show): INodeProperties[] {
	const fields = operations.flatMap(({ value, fields: own }) =>
		own.map((field) => property(field, { ...show, operation: [value] })),
	);
	return [operationProperty(operations, show), ...fields];
}
