import type { INodeProperties } from 'n8n-workflow';
import { cell, table } from './table';

type Shown = Record<string, unknown[]>;

/** Whether a property is shown for these values of the properties above it. */
export function isShown(
	{ displayOptions }: INodeProperties,
	values: Record<string, unknown>,
): boolean {
	const { show = {}, hide = {} } = (displayOptions ?? {}) as { show?: Shown; hide?: Shown };
	const fits = (rules: Shown) =>
		Object.entries(rules).filter(
			([name, wanted]) => name in values && wanted.includes(values[name]),
		);
	const asked = Object.keys(show).filter((name) => name in values);
	return fits(show).length === asked.length && fits(hide).length === 0;
}

function valueOf({ type, default: usual, options, modes = [] }: INodeProperties): string {
	if (type === 'resourceLocator') return modes.map((mode) => mode.displayName).join(', ');
	if (type === 'options') return (options ?? []).map((option) => option.name).join(', ');
	if (type === 'multiOptions') {
		const names = (options ?? []).map((option) => option.name);
		return names.length > 0 ? `any of ${names.join(', ')}` : 'any from a list';
	}
	const shown = typeof usual === 'object' ? '' : String(usual ?? '');
	return shown === '' ? type : `${type}, default ${shown}`;
}

/**
 * Where a field is offered that is not offered always: some modes of media, or a node that is a
 * tool.
 */
function onlyIn({ displayOptions }: INodeProperties): string {
	const show = (displayOptions?.show ?? {}) as Shown;
	const places = [...(show['/mode'] ?? []), ...(show['@tool'] ? ['as a tool'] : [])];
	return places.length === 0 ? '' : ` (${places.join(', ')})`;
}

function rows(properties: INodeProperties[], within = ''): string[][] {
	return properties.flatMap((property) => {
		const { displayName, name, required, description = '', type, options = [] } = property;
		// A hidden one keeps the value of a field that another mode does not offer.
		if (type === 'notice' || type === 'hidden') return [];
		const label = `${within}${displayName}${required ? ' *' : ''}${onlyIn(property)}`;
		const own = [cell(label), `\`${name}\``, cell(valueOf(property)), cell(description)];
		if (type === 'collection') return rows(options as INodeProperties[], `${displayName} → `);
		if (type === 'fixedCollection') {
			const values = (options as Array<{ values: INodeProperties[] }>).flatMap((one) => one.values);
			return [own, ...rows(values, `${displayName} → `)];
		}
		return [own];
	});
}

/** What can be filled in, a line for each field. */
export function fieldTable(properties: INodeProperties[]): string {
	const lines = rows(properties);
	if (lines.length === 0) return 'No fields.';
	return table(['Field', 'Parameter', 'Value', 'What it is'], lines);
}
