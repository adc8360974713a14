import { inPath, type Field } from '../../../src/description/operation';
import { id } from '../../../src/description/rules';

export const jobId: Field = {
	ui: {
		displayName: 'Job ID',
		name: 'jobId',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. gen_8f3a1c',
		description: 'The ID of a generation, speech, agent run or persona',
	},
	mapping: inPath('id', id()),
};
