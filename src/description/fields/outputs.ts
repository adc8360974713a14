import type { Field } from '../operation';

/** Download Outputs of an operation that creates and may wait. */
export const downloadAfterWait: Field = {
	ui: {
		displayName: 'Download Outputs',
		name: 'downloadOutputs',
		type: 'boolean',
		displayOptions: { show: { waitForCompletion: [true] } },
		default: true,
		description: 'Whether to download the finished files into binary fields of the output',
	},
};

/** Download Outputs of an operation that reads what exists. */
export const downloadExisting: Field = {
	ui: {
		displayName: 'Download Outputs',
		name: 'downloadOutputs',
		type: 'boolean',
		default: false,
		description:
			'Whether to download the files into binary fields of the output, if the job has finished',
	},
};

export const outputBinaryField: Field = {
	ui: {
		displayName: 'Output Binary Field',
		name: 'outputBinaryField',
		type: 'string',
		default: 'data',
		placeholder: 'e.g. data',
		hint: 'The name of the output binary field to put the file in',
		description: 'Further files on the same item get _1, _2 and so on after the name',
	},
};

export const splitOutputs: Field = {
	ui: {
		displayName: 'Split Outputs',
		name: 'splitOutputs',
		type: 'boolean',
		default: false,
		description: 'Whether to output one item per file instead of all files on one item',
	},
};
