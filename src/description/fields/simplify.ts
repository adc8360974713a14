import type { Field } from '../operation';

/** Offered where entries are large. */
export const simplify: Field = {
	ui: {
		displayName: 'Simplify',
		name: 'simplify',
		type: 'boolean',
		default: true,
		description: 'Whether to return a simplified version of the response instead of the raw data',
	},
};
