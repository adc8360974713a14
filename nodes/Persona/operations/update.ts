import { ENDPOINTS, LIMITS } from '../../../src/contract';
import { personaIdLocator } from '../../../src/description/fields/locators';
import { updateFields } from '../../../src/description/fields/options';
import { inBody, inPath, type Operation } from '../../../src/description/operation';
import { id, located, text, whenSet } from '../../../src/description/rules';
import { nameField, sharedField } from './shared';

export const update: Operation = {
	value: 'update',
	name: 'Update',
	action: 'Update a persona',
	description: 'Change the name of a persona, or who may use it',
	spec: { endpoint: ENDPOINTS.updatePersona, output: 'resource' },
	fields: [
		{ ui: personaIdLocator, mapping: inPath('id', located(id())) },
		updateFields([
			{
				ui: { ...nameField.ui, required: false },
				mapping: inBody('name', whenSet(text({ ...LIMITS.personaName, required: true }))),
			},
			sharedField,
		]),
	],
};
