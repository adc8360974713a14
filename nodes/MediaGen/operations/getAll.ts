import { ENDPOINTS } from '../../../src/contract';
import { listFields } from '../../../src/description/fields/list';
import type { Operation } from '../../../src/description/operation';

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many generations',
	description: 'Retrieve a list of generations',
	spec: { endpoint: ENDPOINTS.listGenerations, output: 'list', takesLimit: true },
	fields: listFields,
};
