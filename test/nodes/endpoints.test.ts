import type { EndpointName } from '../../src/api';
import { mappedFields } from '../../src/fields/readFields';
import { endpointNames as names, operationsOf } from '../support/operations';
import { bodyFields, queryFields } from '../support/shapes';

/** What is sent besides the fields: the runner reads the file, and pages. */
const BY_THE_RUNNER: Partial<Record<EndpointName, string[]>> = {
	createFile: ['content_type', 'filename', 'size'],
	listGenerations: ['cursor', 'limit'],
};

describe.each(names)('%s', (name) => {
	test('is called by an operation of a node', async () => {
		expect(await operationsOf(name)).not.toEqual([]);
	});

	test('each field of its request is reached by a parameter', async () => {
		const reached = new Set(BY_THE_RUNNER[name]);
		for (const { fields, constants } of await operationsOf(name)) {
			for (const constant of Object.keys(constants ?? {})) reached.add(constant);
			for (const { mapping: sent } of mappedFields(fields))
				if (sent.in === 'body' || sent.in === 'query') reached.add(sent.as);
		}
		const isReached = (field: string) =>
			[...reached].some(
				(as) => as === field || as.startsWith(`${field}.`) || field.startsWith(`${as}.`),
			);
		const wanted = [...bodyFields(name), ...queryFields(name)];
		expect(wanted.filter((field) => !isReached(field))).toEqual([]);
	});
});
