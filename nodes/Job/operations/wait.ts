import { ENDPOINTS } from '../../../src/contract';
import { failureStatuses, waitStatuses } from '../../../src/description/fields/agentStatuses';
import { waitTimeout } from '../../../src/description/fields/creation';
import { options } from '../../../src/description/fields/options';
import {
	downloadFinished,
	outputBinaryField,
	splitOutputs,
} from '../../../src/description/fields/outputs';
import type { Operation } from '../../../src/description/operation';
import type { TerminalStatuses } from '../../../src/transport/jobs/jobState';
import { jobId } from './shared';

/** An agent run ends the wait also where it waits for the user: the plan and the review. */
const TERMINAL_STATUSES: TerminalStatuses = {
	good: ['plan_proposed', 'awaiting_review', 'completed'],
	bad: ['failed'],
};

export const wait: Operation = {
	value: 'wait',
	name: 'Wait for Completion',
	action: 'Wait until a job has finished',
	description: 'Wait until a generation, speech, agent run or persona has ended',
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
