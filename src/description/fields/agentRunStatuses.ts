import type { TerminalStatuses } from '../../transport/jobs/jobState';
import type { Field } from '../operation';

/**
 * What ends a wait for an agent run. The specification does not show the values of `status`
 * (AgentRun), so this is but a default, which users can change.
 */
export const untilStatus = (...good: string[]): TerminalStatuses => ({ good, bad: ['failed'] });

/** Until it has ended or waits for the user: for the approval of its plan, or for the review. */
export const UNTIL_USER_OR_END = untilStatus('plan_proposed', 'awaiting_review', 'completed');

/** The options by which users change it. */
export const statusFields = ({ good, bad }: TerminalStatuses): Field[] => [
	{
		displayName: 'Wait Until Status',
		name: 'waitStatuses',
		type: 'string',
		default: good.join(', '),
		placeholder: 'e.g. awaiting_review, completed',
		description:
			'The statuses of an agent run that end the wait successfully, separated by commas. Change them if the service uses other names.',
	},
	{
		displayName: 'Failure Statuses',
		name: 'failureStatuses',
		type: 'string',
		default: bad.join(', '),
		placeholder: 'e.g. failed',
		description:
			'The statuses of an agent run that end the wait with an error, separated by commas',
	},
];
