import { ENDPOINTS } from '../../../src/contract';
import { personaIdLocator } from '../../../src/description/fields/locators';
import { inPath, type Operation } from '../../../src/description/operation';
import { id, located } from '../../../src/description/rules';

export const deletePersona: Operation = {
	value: 'delete',
	name: 'Delete',
	action: 'Delete a persona',
	description: 'Permanently delete a persona',
	spec: { endpoint: ENDPOINTS.deletePersona, output: 'deleted' },
	fields: [{ ui: personaIdLocator, mapping: inPath('id', located(id())) }],
};
