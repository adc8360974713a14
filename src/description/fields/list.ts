import type { Field } from '../operation';

/** Return All and Limit; the transport reads both and follows the cursor. */
export const listFields: Field[] = [
	{
		ui: {
			displayName: 'Return All',
			name: 'returnAll',
			type: 'boolean',
			default: false,
			description: 'Whether to return all results or only up to a given limit',
		},
	},
	{
		ui: {
			displayName: 'Limit',
			name: 'limit',
			type: 'number',
			typeOptions: { minValue: 1 },
			displayOptions: { show: { returnAll: [false] } },
			default: 50,
			description: 'Max number of results to return',
		},
	},
];
