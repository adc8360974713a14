import type { INodeType } from 'n8n-workflow';
import { readNodes, type OfferedOperation } from '../../scripts/nodes';
import { ENDPOINTS, type EndpointName } from '../../src/api';
import { fieldsWithOptions, type Operation } from '../../src/fields/operation';
import type { NodeResource } from '../../src/n8n/properties';
import { requiredOf } from './goodValues';
import { filesIn } from './sources';

/** All operations of all nodes. */
export async function allOperations(): Promise<Operation[]> {
	const lists = filesIn('nodes', 'operations.ts').map(async (file) => {
		const module = (await import(`../../${file}`)) as {
			operations?: Operation[];
			resources?: NodeResource[];
		};
		return module.operations ?? (module.resources ?? []).flatMap((one) => one.operations);
	});
	return (await Promise.all(lists)).flat();
}

type NodeClass = new () => INodeType;

async function classIn(folder: string): Promise<NodeClass> {
	const [file] = filesIn(folder, '.node.ts');
	return Object.values((await import(`../../${file}`)) as Record<string, NodeClass>)[0]!;
}

export interface Case extends OfferedOperation {
	node: NodeClass;
	name: string;
}

/** All operations with their nodes. */
export async function allCases(): Promise<Case[]> {
	const nodes = await readNodes();
	const ofNodes = nodes
		.filter(({ operations }) => operations.length > 0)
		.map(async ({ folder, operations, description }) => {
			const node = await classIn(folder);
			return operations.map((one): Case => {
				return { ...one, node, name: `${description.displayName}: ${one.operation.name}` };
			});
		});
	return (await Promise.all(ofNodes)).flat();
}

/** The operation of a case, with what it cannot do without. */
export const givenFor = ({ operation, resource }: Case) => ({
	...requiredOf(operation),
	operation: operation.value,
	...(resource && { resource: resource.value }),
	blocksFrom: 'text',
});

/** Whether an operation has an option. */
export const hasOption = ({ operation }: Case, option: string): boolean =>
	fieldsWithOptions(operation).some(({ fields = [] }) =>
		fields.some(({ name }) => name === option),
	);

export const endpointNames = Object.keys(ENDPOINTS) as EndpointName[];

export const operationsOf = async (name: EndpointName): Promise<Operation[]> =>
	(await allOperations()).filter(({ spec }) => spec.endpoint === ENDPOINTS[name]);
