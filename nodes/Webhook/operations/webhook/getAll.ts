import { ENDPOINTS } from '../../../../src/contract';
import { listFields } from '../../../../src/description/fields/list';
import type { Operation } from '../../../../src/description/operation';

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many webhooks',
	description: 'Retrieve the webhooks of the workspace',
	spec: { endpoint: ENDPOINTS.listWebhooks, output: 'list', holdsSecret: true },
	fields: listFields,
};
