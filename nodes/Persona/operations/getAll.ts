import { ENDPOINTS } from '../../../src/contract';
import { listFields } from '../../../src/description/fields/list';
import type { Operation } from '../../../src/description/operation';

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many personas',
	description: 'Retrieve the personas of the workspace',
	spec: { endpoint: ENDPOINTS.listPersonas, output: 'list' },
	fields: listFields,
};
