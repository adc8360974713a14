import { ENDPOINTS } from '../../../src/contract';
import { inQuery, type Operation } from '../../../src/description/operation';
import { dateTime } from '../../../src/description/rules';

export const getUsage: Operation = {
	value: 'getUsage',
	name: 'Get Usage',
	action: 'Get the usage',
	description: 'Retrieve the usage by mode',
	spec: { endpoint: ENDPOINTS.getUsage, output: 'resource' },
	fields: [
		{
			ui: {
				displayName: 'Since',
				name: 'since',
				type: 'dateTime',
				default: '',
				placeholder: 'e.g. 2026-01-31T12:00:00Z',
				description:
					'Only usage since then, in the timezone of the workflow unless one is given. Leave empty for all.',
			},
			mapping: inQuery('since', dateTime()),
		},
	],
};
