/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not published */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { INodeType } from 'n8n-workflow';
import { projectRoot } from '../../lab/process/paths';
import type { Operation } from '../../src/description/operation';
import type { NodeResource } from '../../src/description/properties';
import { outputSchema } from './outputs';

type Module = Record<string, unknown>;

interface Operations {
	operations?: Operation[];
	resources?: NodeResource[];
}

/** As n8n names the folder of a node version. */
const folderOf = (version: number): string =>
	`v${[...String(version).split('.'), '0', '0'].slice(0, 3).join('.')}`;

/** The operations of a node by the paths that n8n may ask for. */
function pathsOf({ operations, resources }: Operations, only: string): Array<[string, Operation]> {
	const several = (resources ?? []).flatMap(({ value: resource, operations: own }) =>
		own.map((one): [string, Operation] => [`${resource}/${one.value}`, one]),
	);
	// A node with one resource has it hidden, so a workflow that was not saved by the editor may
	// leave it out.
	const single = (operations ?? []).flatMap((one): Array<[string, Operation]> => [
		[one.value, one],
		[`${only}/${one.value}`, one],
	]);
	return [...several, ...single];
}

/**
 * Where n8n looks for output schemas, beside each node, and what has to be there. Paths begin at
 * the root of the project.
 */
export async function schemaFiles(): Promise<Map<string, string>> {
	const { n8n } = JSON.parse(readFileSync(path.join(projectRoot, 'package.json'), 'utf8')) as {
		n8n: { nodes: string[] };
	};
	const files = new Map<string, string>();
	for (const file of n8n.nodes) {
		const source = file.replace(/^dist\//, '').replace(/\.js$/, '.ts');
		const folder = path.dirname(source);
		const [Node] = Object.values((await import(path.join(projectRoot, source))) as Module);
		const { description } = new (Node as new () => INodeType)();
		const { properties, version } = description;
		// The triggers have no operations.
		if (!properties.some(({ name }) => name === 'operation')) continue;
		const found = (await import(path.join(projectRoot, folder, 'operations'))) as Operations;
		const only = String(properties.find(({ name }) => name === 'resource')?.default ?? '');
		for (const each of [version].flat()) {
			for (const [name, operation] of pathsOf(found, only)) {
				const target = `${folder}/__schema__/${folderOf(each)}/${name}.json`;
				files.set(target, `${JSON.stringify(outputSchema(operation), null, '\t')}\n`);
			}
		}
	}
	return files;
}
