import { ENDPOINTS } from '../../../src/contract';
import { personaIdLocator } from '../../../src/description/fields/locators';
import { inPath, type Operation } from '../../../src/description/operation';
import { id, located } from '../../../src/description/rules';

export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get a persona',
	description: 'Retrieve a persona',
	spec: { endpoint: ENDPOINTS.getPersona, output: 'resource' },
	fields: [{ ui: personaIdLocator, mapping: inPath('id', located(id())) }],
};
