/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { ICredentialType, INodeType, INodeTypeDescription } from 'n8n-workflow';
import type { Operation } from '../src/description/operation';
import type { NodeResource } from '../src/description/properties';

export const projectRoot = path.resolve(__dirname, '..');

/** An operation of a node, with the resource that has to be chosen first where the node has several. */
export interface OfferedOperation {
	operation: Operation;
	resource?: Pick<NodeResource, 'name' | 'value'>;
}

/** A node as package.json registers it. */
export interface RegisteredNode {
	description: INodeTypeDescription;
	/** Such as `nodes/Speech`. */
	folder: string;
	/** Name of its page and its picture, such as `agent-run`. */
	slug: string;
	/** None of a trigger. */
	operations: OfferedOperation[];
}

const registered = () =>
	JSON.parse(readFileSync(path.join(projectRoot, 'package.json'), 'utf8')) as {
		n8n: { nodes: string[]; credentials: string[] };
	};

const sourceOf = (built: string) => built.replace(/^dist\//, '').replace(/\.js$/, '.ts');

async function instanceOf<T>(source: string): Promise<T> {
	const exported = (await import(path.join(projectRoot, source))) as Record<string, new () => T>;
	const [Type] = Object.values(exported);
	if (!Type) throw new Error(`${source} exports nothing`);
	return new Type();
}

async function readNode(source: string): Promise<RegisteredNode> {
	const { description } = await instanceOf<INodeType>(source);
	const folder = path.dirname(source);
	const module = path.join(projectRoot, folder, 'operations');
	const { operations = [], resources = [] } = existsSync(`${module}.ts`)
		? ((await import(module)) as { operations?: Operation[]; resources?: NodeResource[] })
		: {};
	const name = description.displayName;
	return {
		description,
		folder,
		slug: (name.replace(/^MediaGen /, '') || name).toLowerCase().replaceAll(' ', '-'),
		operations: [
			...operations.map((operation) => ({ operation })),
			...resources.flatMap((resource) =>
				resource.operations.map((operation) => ({ operation, resource })),
			),
		],
	};
}

/** The nodes of the package, in the order of package.json. */
export async function readNodes(): Promise<RegisteredNode[]> {
	return await Promise.all(registered().n8n.nodes.map(sourceOf).map(readNode));
}

/** The credentials of the package. */
export async function readCredentials(): Promise<ICredentialType[]> {
	const sources = registered().n8n.credentials.map(sourceOf);
	return await Promise.all(sources.map(instanceOf<ICredentialType>));
}
