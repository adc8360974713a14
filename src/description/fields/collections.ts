import type { Field } from '../operation';

const byLabel = (a: Field, b: Field) => a.displayName.localeCompare(b.displayName, 'en');

/** Optional fields, of which only those that were added are sent, in the order of their labels. */
export const collection = (
	ui: Pick<Field, 'displayName' | 'name' | 'placeholder' | 'description'>,
	fields: Field[],
): Field => ({ ...ui, type: 'collection', default: {}, fields: [...fields].sort(byLabel) });

/** What few users need, at the end of an operation. */
export const options = (fields: Field[]): Field =>
	collection({ displayName: 'Options', name: 'options', placeholder: 'Add option' }, fields);

/** The optional fields of a request. */
export const additionalFields = (fields: Field[]): Field =>
	collection(
		{ displayName: 'Additional Fields', name: 'additionalFields', placeholder: 'Add field' },
		fields,
	);

/** The fields of an update: what was not added stays as it is. */
export const updateFields = (fields: Field[]): Field =>
	collection(
		{
			displayName: 'Update Fields',
			name: 'updateFields',
			placeholder: 'Add field',
			description: 'What to change. Add only those fields; at least one is needed.',
		},
		fields,
	);
