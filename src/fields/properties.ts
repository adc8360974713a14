import type { IDisplayOptions, INodeProperties, INodePropertyRouting } from 'n8n-workflow';
import { runner } from '../run/runner';
import { mappedFields } from './buildRequest';
import type { Field, Operation } from './operation';
import { preSend } from './prepare';

type Show = NonNullable<IDisplayOptions['show']>;

/** The request of an operation, and the two functions that all operations share. */
function routingOf(operation: Operation): INodePropertyRouting {
	const { method, path } = operation.spec.endpoint;
	const fields = mappedFields(operation.fields);
	const labels = Object.fromEntries(fields.map(({ mapping, label }) => [mapping.as, label]));
	const spec = { ...operation.spec, parameters: fields.map(({ parameter }) => parameter) };
	return {
		request: { method, url: path },
		send: { preSend: [preSend(operation)], paginate: true },
		operations: { pagination: runner(spec, labels) },
	};
}

function property({ fields, ...ui }: Field, show?: Show): INodeProperties {
	const { displayOptions } = ui;
	return {
		...ui,
		// Only the hook reads it.
		mapping: undefined,
		...(fields && { options: fields.map((field) => property(field)) }),
		...(show && {
			displayOptions: { ...displayOptions, show: { ...show, ...displayOptions?.show } },
		}),
	} as INodeProperties;
}

function operationProperty(operations: Operation[], show: Show): INodeProperties {
	// The most likely choice is to create something.
	const usual = operations.find(({ value }) => value === 'create') ?? operations[0];
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show },
		options: operations.map((operation) => {
			const { name, value, action, description } = operation;
			return { name, value, action, description, routing: routingOf(operation) };
		}),
		default: usual?.value ?? '',
	};
}

/** A resource of a node. */
export interface NodeResource {
	value: string;
	name: string;
	operations: Operation[];
}

/**
 * The properties of a node: its resources, their operations, and the fields of each. A single
 * resource is not shown, but there: n8n passes what an operation does, its `action`, to an AI agent
 * only where the operation depends on a resource.
 */
export function nodeProperties(resources: NodeResource[]): INodeProperties[] {
	const isSingle = resources.length === 1;
	const resource: INodeProperties = {
		displayName: 'Resource',
		name: 'resource',
		type: isSingle ? 'hidden' : 'options',
		noDataExpression: true,
		options: resources.map(({ value, name }) => ({ value, name })),
		default: resources[0]?.value ?? '',
	};
	const ofResources = resources.flatMap(({ value: name, operations }) => {
		const show = { resource: [name] };
		const fields = operations.flatMap(({ value, fields: own }) =>
			own.map((field) => property(field, { ...(!isSingle && show), operation: [value] })),
		);
		return [operationProperty(operations, show), ...fields];
	});
	return [resource, ...ofResources];
}
