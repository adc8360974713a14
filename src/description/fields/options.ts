import type { Field } from '../operation';

const byLabel = (a: Field, b: Field) => a.displayName.localeCompare(b.displayName, 'en');

/** The collection of what few users need, at the end of an operation, sorted by label. */
export const options = (fields: Field[]): Field => ({
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	fields: [...fields].sort(byLabel),
});

/** The optional fields of a request, of which only those that were added are sent. */
export const additionalFields = (fields: Field[]): Field => ({
	displayName: 'Additional Fields',
	name: 'additionalFields',
	type: 'collection',
	placeholder: 'Add field',
	default: {},
	fields,
});

/** The fields of an update: what was not added stays as it is. */
export const updateFields = (fields: Field[]): Field => ({
	displayName: 'Update Fields',
	name: 'updateFields',
	type: 'collection',
	placeholder: 'Add field',
	default: {},
	description: 'What to change. Add only those fields; at least one is needed.',
	fields,
});
