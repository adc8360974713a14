import { LIMITS } from '../../../src/contract';
import { inBody, type Field } from '../../../src/description/operation';
import { flag, text } from '../../../src/description/rules';

export const nameField: Field = {
	ui: {
		displayName: 'Name',
		name: 'name',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. Mara, the captain',
		description: 'The name of the persona, at most 80 characters',
	},
	mapping: inBody('name', text({ ...LIMITS.personaName, required: true })),
};

export const sharedField: Field = {
	ui: {
		displayName: 'Shared',
		name: 'shared',
		type: 'boolean',
		default: true,
		description: 'Whether everyone in the workspace may use the persona',
	},
	mapping: inBody('shared', flag()),
};
