import type { INodePropertyOptions } from 'n8n-workflow';
import { isRecord, type Json } from '../api';
import { UPDATE_FIELDS, type Field, type Operation } from './operation';
import { ABSENT } from './rules';

/*
 * Hints in the types of the nodes, which n8n serves to AIs that build workflows: for each operation the
 * fields that it needs, and parameters with which it runs. They are made of the fields themselves.
 */

const NOTHING = { baseUrl: '', files: {} };

/** Whether the operation needs a value in the field. An update also needs a field that it changes. */
const isNeeded = ({ name, required, mapping }: Field): boolean =>
	required === true ||
	name === UPDATE_FIELDS ||
	(mapping !== undefined && 'problem' in mapping.rule(ABSENT, NOTHING));

/** Whether the editor shows the field as long as all other fields have their defaults. */
function isShown({ displayOptions }: Field, fields: Field[]): boolean {
	const usualOf = (name: string): unknown => {
		if (name === '@tool') return false;
		return fields.find((field) => field.name === name.replace('/', ''))?.default;
	};
	return Object.entries(displayOptions?.show ?? {}).every(([name, wanted]) =>
		[wanted].flat().some((one) => one === usualOf(name)),
	);
}

const withoutEg = (placeholder = ''): string => placeholder.replace(/^e\.g\. /, '');

/** A value for a picker: its default, otherwise an ID. */
function locatorExample({ default: usual, modes = [] }: Field): unknown {
	const { mode, value } = usual as { mode: string; value: string };
	if (value !== '') return { __rl: true, mode, value };
	const byId = modes.find(({ name }) => name === 'id');
	return { __rl: true, mode: 'id', value: withoutEg(byId?.placeholder) };
}

/** A value that the field accepts. */
function exampleOf(field: Field): unknown {
	const { type, default: usual, options = [], placeholder, fields: [inner] = [] } = field;
	if (type === 'resourceLocator') return locatorExample(field);
	if (type === 'multiOptions') return [(options[0] as INodePropertyOptions).value];
	if (type === 'collection') return inner ? { [inner.name]: exampleOf(inner) } : {};
	return usual === '' && placeholder !== undefined ? withoutEg(placeholder) : usual;
}

/** Parameters with which an operation runs. Fields with a default are left out. */
export const minimalParameters = (fields: Field[]): Json =>
	Object.fromEntries(
		fields
			.filter((field) => isNeeded(field) && isShown(field, fields))
			.map((field) => [field.name, exampleOf(field)]),
	);

/** @param resource given if the node has several */
export function hintOf({ value, fields }: Operation, resource: string | undefined): string {
	const needed = minimalParameters(fields);
	const names = Object.keys(needed);
	const which = resource === undefined ? { operation: value } : { resource, operation: value };
	const example = JSON.stringify({ ...which, ...needed });
	return `${names.length === 0 ? 'Needs nothing more' : `Needs ${names.join(', ')}`}. Minimal parameters: ${example}`;
}

interface Operations {
	value: string;
	operations: Operation[];
}

/** The properties of a node, with hints at its operations. */
export function withBuilderHints<Property extends { name: string; displayOptions?: unknown }>(
	properties: Property[],
	resources: Operations[],
): Property[] {
	return properties.map((property) => {
		if (property.name !== 'operation') return property;
		const { options = [], displayOptions } = property as Property & Pick<Field, 'options'>;
		const shown =
			isRecord(displayOptions) && isRecord(displayOptions.show) ? displayOptions.show : {};
		const [resource] = [shown.resource].flat();
		const own = resources.find(({ value }) => value === resource)?.operations ?? [];
		const hinted = options.map((option) => {
			const operation = own.find(({ value }) => 'value' in option && value === option.value);
			if (!operation) return option;
			const named = resources.length > 1 ? String(resource) : undefined;
			return { ...option, builderHint: { propertyHint: hintOf(operation, named) } };
		});
		return { ...property, options: hinted };
	});
}
