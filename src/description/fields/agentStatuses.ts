import type { TerminalStatuses } from '../../transport/jobs/jobState';
import type { Field } from '../operation';

/**
 * The statuses that end a wait for an agent run. The specification does not show the values
 * (AgentRun), so users can enter what their service uses.
 */
export const waitStatuses = ({ good }: TerminalStatuses): Field => ({
	ui: {
		displayName: 'Wait Until Status',
		name: 'waitStatuses',
		type: 'string',
		default: good.join(', '),
		placeholder: 'e.g. awaiting_review, completed',
		description:
			'The statuses of an agent run that end the wait successfully, separated by commas. Change them if the service uses other names.',
	},
});

export const failureStatuses = ({ bad }: TerminalStatuses): Field => ({
	ui: {
		displayName: 'Failure Statuses',
		name: 'failureStatuses',
		type: 'string',
		default: bad.join(', '),
		placeholder: 'e.g. failed',
		description:
			'The statuses of an agent run that end the wait with an error, separated by commas',
	},
});
