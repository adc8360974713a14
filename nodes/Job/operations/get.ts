import { ENDPOINTS } from '../../../src/contract';
import { existingOutputs } from '../../../src/description/fields/outputs';
import type { Operation } from '../../../src/description/operation';
import { jobId } from './shared';

export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get the status and files of a job',
	description: 'Retrieve a generation, speech, agent run or persona by its ID',
	spec: { endpoint: ENDPOINTS.getJob, output: 'job' },
	fields: [jobId, ...existingOutputs],
};
