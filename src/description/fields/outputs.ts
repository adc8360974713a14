import type { IDisplayOptions } from 'n8n-workflow';
import type { Field } from '../operation';
import { options } from './collections';

const AS_TOOL = { '@tool': [true] };

/**
 * Download Outputs, on unless the node is a tool: files do not reach an AI agent, and would make it
 * wait for longer.
 */
function download(show: NonNullable<IDisplayOptions['show']> = {}): Field[] {
	const ui = { displayName: 'Download Outputs', name: 'downloadOutputs', type: 'boolean' } as const;
	const forWorkflows: Field = {
		...ui,
		displayOptions: { show, hide: AS_TOOL },
		default: true,
		description: 'Whether to download the files into binary fields',
	};
	const forAgents: Field = {
		...ui,
		displayOptions: { show: { ...show, ...AS_TOOL } },
		default: false,
		description:
			'Whether to download the finished files too. They stay with the run of this tool; the AI agent gets the links.',
	};
	return [forWorkflows, forAgents];
}

/** Download Outputs of an operation that creates and may wait. */
export const downloadAfterWait = download({ waitForCompletion: [true] });

/** Download Outputs of an operation that waits for what exists. */
export const downloadFinished = download();

/** Download Outputs of an operation that reads what exists. */
export const downloadExisting: Field = {
	displayName: 'Download Outputs',
	name: 'downloadOutputs',
	type: 'boolean',
	default: false,
	description:
		'Whether to download the files into binary fields of the output, if the job has finished',
};

export const outputBinaryField: Field = {
	displayName: 'Output Binary Field',
	name: 'outputBinaryField',
	type: 'string',
	default: 'data',
	placeholder: 'e.g. data',
	hint: 'The name of the output binary field to put the file in',
	description: 'Further files get _1, _2 and so on after the name',
};

const splitOutputs: Field = {
	displayName: 'Split Outputs',
	name: 'splitOutputs',
	type: 'boolean',
	default: false,
	description: 'Whether to output one item per file',
};

/** How the files of a job are output. */
export const fileOptions = [outputBinaryField, splitOutputs];

/** The fields of an operation that reads a job with any number of files. */
export const existingOutputs: Field[] = [downloadExisting, options(fileOptions)];
