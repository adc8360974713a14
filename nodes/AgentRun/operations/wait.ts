import {
	idempotency,
	idempotencyKey,
	waitForCompletion,
	waitTimeout,
} from '../../../src/description/fields/creation';
import { dryRun } from '../../../src/description/fields/cost';
import { failureStatuses, waitStatuses } from '../../../src/description/fields/agentStatuses';
import { additionalJson } from '../../../src/description/fields/additionalJson';
import { options } from '../../../src/description/fields/options';
import {
	downloadAfterWait,
	outputBinaryField,
	splitOutputs,
} from '../../../src/description/fields/outputs';
import type { Field } from '../../../src/description/operation';
import type { TerminalStatuses } from '../../../src/transport/jobs/jobState';

/**
 * What ends the wait after each step of a production. The specification does not show the values of
 * `status` (AgentRun), so each list is but a default. A plan that was only proposed waits for the
 * user, as does one whose automatic approval could not be applied.
 */
export const AFTER_CREATION: TerminalStatuses = {
	good: ['plan_proposed', 'awaiting_review', 'completed'],
	bad: ['failed'],
};
export const AFTER_APPROVAL: TerminalStatuses = {
	good: ['awaiting_review', 'completed'],
	bad: ['failed'],
};
export const AFTER_REVIEW: TerminalStatuses = { good: ['completed'], bad: ['failed'] };

/**
 * What the three steps of a production offer besides their own fields.
 *
 * @param paid options of a step that reserves credits
 */
export const waitFields = (terminalStatuses: TerminalStatuses, paid: Field[] = []): Field[] => [
	{
		...waitForCompletion,
		ui: {
			...waitForCompletion.ui,
			description:
				'Whether to wait until the run needs you or has ended. Otherwise the output is the run as it is right after the request.',
		},
	},
	...downloadAfterWait,
	options([
		additionalJson,
		dryRun,
		failureStatuses(terminalStatuses),
		idempotencyKey,
		...paid,
		outputBinaryField,
		idempotency,
		splitOutputs,
		waitTimeout,
		waitStatuses(terminalStatuses),
	]),
];
