import { ENDPOINTS } from '../../src/contract';
import { failureStatuses, waitStatuses, waitTimeout } from '../../src/description/fields/creation';
import { options } from '../../src/description/fields/collections';
import {
	downloadFinished,
	existingOutputs,
	outputBinaryField,
	splitOutputs,
} from '../../src/description/fields/outputs';
import { type Field, inPath, type Operation } from '../../src/description/operation';
import { id } from '../../src/description/rules';
import type { TerminalStatuses } from '../../src/transport/jobs/jobState';

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
		'Read a job of any kind, with fresh links; finished says whether it has ended. Costs nothing.',
	spec: { endpoint: ENDPOINTS.getJob, output: 'job' },
	fields: [jobId, ...existingOutputs],
};

/** An agent run ends the wait also where it waits for the user: the plan and the review. */
const TERMINAL_STATUSES: TerminalStatuses = {
	good: ['plan_proposed', 'awaiting_review', 'completed'],
	bad: ['failed'],
};

const wait: Operation = {
	value: 'wait',
	name: 'Wait for Completion',
	action: 'Wait until a job has finished',
	description: 'Wait until a job of any kind has ended and download its files. Costs nothing.',
	spec: { endpoint: ENDPOINTS.getJob, output: 'wait', terminalStatuses: TERMINAL_STATUSES },
	fields: [
		jobId,
		...downloadFinished,
		options([
			failureStatuses(TERMINAL_STATUSES),
			outputBinaryField,
			splitOutputs,
			waitTimeout,
			waitStatuses(TERMINAL_STATUSES),
		]),
	],
};

export const operations: Operation[] = [get, wait];
