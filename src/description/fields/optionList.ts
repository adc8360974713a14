import type { INodePropertyOptions } from 'n8n-workflow';

/**
 * The options of a field, in the order of `texts`. The type parameter is the type that the code
 * decides by, so the compiler ensures that every value of it is offered, and no other.
 */
export const optionList = <T extends string>(
	texts: Record<T, Omit<INodePropertyOptions, 'value'>>,
): INodePropertyOptions[] =>
	Object.entries<Omit<INodePropertyOptions, 'value'>>(texts).map(([value, text]) => ({
		...text,
		value,
	}));
