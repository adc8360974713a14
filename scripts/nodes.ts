/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { ICredentialType, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { projectRoot } from '../lab/process/paths';
import manifest from '../package.json';
import type { Operation } from '../src/fields/operation';
import type { NodeResource } from '../src/n8n/properties';

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

/** The sources of what package.json registers. */
const registered = (kind: 'nodes' | 'credentials') =>
	manifest.n8n[kind].map((built) => built.replace(/^dist\//, '').replace(/\.js$/, '.ts'));

async function instanceOf<T>(source: string): Promise<T> {
	const exported = (await import(path.join(projectRoot, source))) as Record<string, new () => T>;
	return new (Object.values(exported)[0]!)();
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
	return await Promise.all(registered('nodes').map(readNode));
}

/** The credentials of the package. */
export async function readCredentials(): Promise<ICredentialType[]> {
	return await Promise.all(registered('credentials').map(instanceOf<ICredentialType>));
}
