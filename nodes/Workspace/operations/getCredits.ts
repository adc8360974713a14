import { ENDPOINTS } from '../../../src/contract';
import type { Operation } from '../../../src/description/operation';

export const getCredits: Operation = {
	value: 'getCredits',
	name: 'Get Credits',
	action: 'Get credits of workspace',
	description: 'Retrieve the credit balance',
	plan: { endpoint: ENDPOINTS.getCredits, output: 'resource' },
	fields: [],
};
