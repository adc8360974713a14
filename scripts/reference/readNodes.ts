/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { projectRoot } from '../../lab/process/paths';
import type { Operation } from '../../src/description/operation';
import type { NodeResource } from '../../src/description/properties';
import type { JsonSchema } from '../schemas/jsonSchema';

/** An operation with what its page shows. */
export interface ShownOperation {
	operation: Operation;
	/** The resource that has to be chosen first; `undefined` where the node has one only. */
	resource?: Pick<NodeResource, 'name' | 'value'>;
	/** Of the items that it outputs; the file beside the node that the editor reads too. */
	schema: JsonSchema;
}

export interface ShownNode {
	description: INodeTypeDescription;
	/** Name of its page and its picture, such as `agent-run`. */
	slug: string;
	/** None of a trigger. */
	operations: ShownOperation[];
}

interface Modules {
	operations?: Operation[];
	resources?: NodeResource[];
}

/** The name of a node's page: what its name says besides the name of the service. */
const slugOf = (displayName: string): string =>
	(displayName.replace(/^MediaGen /, '') || displayName).toLowerCase().replaceAll(' ', '-');

const read = (file: string) => readFileSync(path.join(projectRoot, file), 'utf8');

async function readNode(source: string): Promise<ShownNode> {
	const classes = (await import(path.join(projectRoot, source))) as Record<
		string,
		new () => INodeType
	>;
	const [Node] = Object.values(classes);
	if (!Node) throw new Error(`${source} exports nothing`);
	const { description } = new Node();
	const folder = path.dirname(source);
	const schemaAt = (name: string) =>
		JSON.parse(read(`${folder}/__schema__/v1.0.0/${name}.json`)) as JsonSchema;
	const hasOperations = existsSync(path.join(projectRoot, folder, 'operations'));
	const { operations = [], resources = [] } = hasOperations
		? ((await import(path.join(projectRoot, folder, 'operations'))) as Modules)
		: {};
	return {
		description,
		slug: slugOf(description.displayName),
		operations: [
			...operations.map((operation) => ({ operation, schema: schemaAt(operation.value) })),
			...resources.flatMap(({ name, value, operations: own }) =>
				own.map((operation) => ({
					operation,
					resource: { name, value },
					schema: schemaAt(`${value}/${operation.value}`),
				})),
			),
		],
	};
}

/** The nodes of the package, in the order of package.json. */
export async function readNodes(): Promise<ShownNode[]> {
	const { n8n } = JSON.parse(read('package.json')) as { n8n: { nodes: string[] } };
	const sources = n8n.nodes.map((file) => file.replace(/^dist\//, '').replace(/\.js$/, '.ts'));
	return await Promise.all(sources.map(readNode));
}
