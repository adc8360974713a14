import { ENDPOINTS } from '../../../../src/contract';
import { listFields } from '../../../../src/description/fields/list';
import type { Operation } from '../../../../src/description/operation';

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many custom voices',
	description: 'Retrieve the custom voices of the workspace',
	spec: { endpoint: ENDPOINTS.listVoices, output: 'list' },
	fields: listFields,
};
