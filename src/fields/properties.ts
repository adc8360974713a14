import {
	NodeOperationError,
	type IDisplayOptions,
	type IExecuteSingleFunctions,
	type INodeProperties,
	type INodePropertyRouting,
	type PreSendAction,
} from 'n8n-workflow';
import { quoted } from '../base/texts';
import { runner } from '../run/runner';
import { mappedFields } from './readFields';
import type { Field, Operation } from './operation';
import { preSend } from './prepare';

type Show = NonNullable<IDisplayOptions['show']>;

/** The request of an operation, and the two functions that all operations share. */
function routingOf(operation: Operation): INodePropertyRouting {
	const { method, path } = operation.spec.endpoint;
	const fields = mappedFields(operation.fields);
	const requested = fields.filter(({ mapping }) => mapping.in !== 'setting');
	const labels = Object.fromEntries(requested.map(({ mapping, label }) => [mapping.as, label]));
	const spec = { ...operation.spec, parameters: requested.map(({ parameter }) => parameter) };
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

/**
 * Collections as they are stored, in which n8n leaves only the fields that the chosen operation has.
 * With a hidden property of the same name after it, n8n keeps a collection whole: so what an AI
 * builder has written for another operation is seen and named instead of left out in silence.
 */
function wholeCollections(operations: Operation[], show: Show): INodeProperties[] {
	return operations.flatMap(({ value, fields }) =>
		fields
			.filter(({ type }) => type === 'collection')
			.map(({ displayName, name }): INodeProperties => ({
				displayName,
				name,
				type: 'hidden',
				default: {},
				displayOptions: { show: { ...show, operation: [value] } },
			})),
	);
}

const UNKNOWN = 'unknown';

/** Says that a node has no such operation or resource, and which it has. */
const refusing = (what: string, names: string[]): PreSendAction =>
	async function (this: IExecuteSingleFunctions) {
		const given: unknown = this.getNodeParameter(what, '');
		const itemIndex = this.getItemIndex();
		throw new NodeOperationError(
			this.getNode(),
			`This node has no ${what} ${quoted(given)}; it has ${names.join(', ')}`,
			{ itemIndex, description: `Choose the ${what} in the node again. Nothing was sent.` },
		);
	};

/** Shown, and so run by n8n, only for a value that is none of these: it would send to nowhere. */
const unknownProperty = (what: string, names: string[], show?: Show): INodeProperties => ({
	displayName: `Unknown ${what}`,
	name: UNKNOWN,
	type: 'hidden',
	default: '',
	displayOptions: { ...(show && { show }), hide: { [what]: names } },
	routing: { send: { preSend: [refusing(what, names)] } },
});

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
		const fieldsShow = isSingle ? {} : show;
		const fields = operations.flatMap(({ value, fields: own }) =>
			own.map((field) => property(field, { ...fieldsShow, operation: [value] })),
		);
		const values = operations.map(({ value }) => value);
		return [
			operationProperty(operations, show),
			...fields,
			...wholeCollections(operations, fieldsShow),
			unknownProperty('operation', values, show),
		];
	});
	const resourceNames = resources.map(({ value }) => value);
	return [resource, ...ofResources, unknownProperty('resource', resourceNames)];
}
