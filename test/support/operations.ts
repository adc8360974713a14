import { ENDPOINTS, type EndpointName } from '../../src/api';
import type { Operation } from '../../src/fields/operation';
import type { NodeResource } from '../../src/n8n/properties';
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

export const endpointNames = Object.keys(ENDPOINTS) as EndpointName[];

export const operationsOf = async (name: EndpointName): Promise<Operation[]> =>
	(await allOperations()).filter(({ spec }) => spec.endpoint === ENDPOINTS[name]);
