import { ENDPOINTS } from '../../../src/contract';
import { listFields } from '../../../src/description/fields/list';
import { simplify } from '../../../src/description/fields/simplify';
import type { Operation } from '../../../src/description/operation';
import { plainFields } from '../../../src/description/simplify';

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many agent runs',
	description: 'Retrieve a list of agent runs',
	spec: { endpoint: ENDPOINTS.listAgentRuns, output: 'list', simplify: plainFields },
	fields: [...listFields, simplify],
};
