import { ENDPOINTS } from '../../src/api';
import { existingRunOutputs, fileOptions } from '../../src/fields/commonFields';
import { ofItemBefore } from '../../src/fields/locators';
import { options, type Field, inPath, type Operation } from '../../src/fields/operation';
import { id } from '../../src/fields/rules';
import { downloadFinished, statusFields, waitTimeout } from '../../src/fields/settings';
import { AGENT_STATUSES } from '../../src/transport/jobState';

const jobId: Field = {
	displayName: 'Job ID',
	name: 'jobId',
	type: 'string',
	required: true,
	default: '={{ $json.id }}',
	placeholder: 'e.g. gen_8f3a1c',
	description: 'The ID of a generation, speech, agent run or persona',
	mapping: inPath('id', id()),
};

const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get the status and files of a job',
	description:
		'Read any job with fresh links. The field "finished" tells whether it has ended or waits for you. Costs nothing.',
	spec: { endpoint: ENDPOINTS.getJob, output: 'job' },
	fields: [...ofItemBefore(jobId), ...existingRunOutputs],
};

const wait: Operation = {
	value: 'wait',
	name: 'Wait for Completion',
	action: 'Wait until a job has finished',
	description: 'Wait until a job of any kind has ended and download its files. Costs nothing.',
	spec: { endpoint: ENDPOINTS.getJob, output: 'wait', terminalStatuses: AGENT_STATUSES.any },
	fields: [
		...ofItemBefore(jobId),
		...downloadFinished,
		options([...statusFields(AGENT_STATUSES.any), ...fileOptions, waitTimeout]),
	],
};

export const operations: Operation[] = [get, wait];
