import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';
import { misplacedGuardFields } from '../fields/guards';
import { fieldsWithOptions, type Field, type Operation } from '../fields/operation';

type Show = NonNullable<IDisplayOptions['show']>;

/**
 * A field as a property of n8n.
 * @param show what else has to be chosen for the field to be shown
 */
function property({ fields, ...ui }: Field, show?: Show): INodeProperties {
	// n8n need not know what becomes of the value.
	const shown = { ...ui, mapping: undefined } as INodeProperties;
	if (fields) shown.options = fields.map((field) => property(field));
	const { displayOptions } = ui;
	if (show)
		shown.displayOptions = { ...displayOptions, show: { ...show, ...displayOptions?.show } };
	return shown;
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
			const { name, value, action, description, spec } = operation;
			const { method, path: url } = spec.endpoint;
			return { name, value, action, description, routing: { request: { method, url } } };
		}),
		default: usual?.value ?? '',
	};
}

/**
 * Hidden properties with the names of the collections. n8n drops the fields of a collection that the chosen
 * operation does not have, but leaves a collection whole if a hidden property of the same name follows. So
 * what an AI builder has written for another operation can be named in an error, instead of being left out in
 * silence.
 */
function wholeCollections(operations: Operation[], show: Show): INodeProperties[] {
	return operations.flatMap((operation) =>
		fieldsWithOptions(operation)
			.filter(({ fields }) => fields !== undefined)
			.map(({ displayName, name }): INodeProperties => ({
				displayName,
				name,
				type: 'hidden',
				default: {},
				displayOptions: { show: { ...show, operation: [operation.value] } },
			})),
	);
}

/** A resource of a node. */
export interface NodeResource {
	value: string;
	name: string;
	operations: Operation[];
}

/**
 * The properties of a node: its resources, their operations, and the fields of each. A single resource is
 * there but not shown, because n8n tells an AI agent what an operation does (its `action`) only where the
 * operation depends on a resource.
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
		// Makes n8n's routing engine call the `pagination` of the node for an item.
		routing: { send: { paginate: true } },
	};
	const ofResources = resources.flatMap(({ value: name, operations }) => {
		const show = { resource: [name] };
		const fieldsShow = isSingle ? {} : show;
		const fields = operations.flatMap(({ value, fields: own }) =>
			own.map((field) => property(field, { ...fieldsShow, operation: [value] })),
		);
		return [
			operationProperty(operations, show),
			...fields,
			...wholeCollections(operations, fieldsShow),
			...misplacedGuardFields(operations, fieldsShow),
		];
	});
	return [resource, ...ofResources];
}
