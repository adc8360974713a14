import { ENDPOINTS } from '../../../src/contract';
import type { Operation } from '../../../src/description/operation';

export const getCredits: Operation = {
	value: 'getCredits',
	name: 'Get Credits',
	action: 'Get the credit balance',
	description: 'Retrieve the credit balance',
	spec: { endpoint: ENDPOINTS.getCredits, output: 'resource' },
	fields: [],
};
