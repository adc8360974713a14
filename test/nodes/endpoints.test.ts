import { ENDPOINTS, type EndpointName } from '../../src/contract';
import { sentFields } from '../../src/description/check';
import type { Operation } from '../../src/description/operation';
import type { NodeResource } from '../../src/description/properties';
import { bodyFields, queryFields } from '../support/shapes';
import { filesIn } from '../support/sources';

/** All operations of all nodes. */
async function allOperations(): Promise<Operation[]> {
	const lists = filesIn('nodes', 'index.ts').map(async (file) => {
		const module = (await import(`../../${file}`)) as {
			operations?: Operation[];
			resources?: NodeResource[];
		};
		return module.operations ?? (module.resources ?? []).flatMap((one) => one.operations);
	});
	return (await Promise.all(lists)).flat();
}

const operationsOf = async (name: EndpointName) =>
	(await allOperations()).filter(({ plan }) => plan.endpoint === ENDPOINTS[name]);

/** What is sent besides the fields: the runner reads the file, and pages. */
const BY_THE_RUNNER: Partial<Record<EndpointName, string[]>> = {
	createFile: ['content_type', 'filename', 'size'],
	listGenerations: ['cursor', 'limit'],
};

const names = Object.keys(ENDPOINTS) as EndpointName[];

test('the specification has 32 operations', () => {
	expect(names).toHaveLength(32);
});

describe.each(names)('%s', (name) => {
	test('is called by an operation of a node', async () => {
		expect(await operationsOf(name)).not.toEqual([]);
	});

	test('each field of its request is reached by a parameter', async () => {
		const reached = new Set(BY_THE_RUNNER[name]);
		for (const { fields, constants } of await operationsOf(name)) {
			for (const constant of Object.keys(constants ?? {})) reached.add(constant);
			for (const { sent } of sentFields(fields)) reached.add(sent.as);
		}
		const isReached = (field: string) =>
			[...reached].some(
				(as) => as === field || as.startsWith(`${field}.`) || field.startsWith(`${as}.`),
			);
		const wanted = [...bodyFields(name), ...queryFields(name)];
		expect(wanted.filter((field) => !isReached(field))).toEqual([]);
	});
});
