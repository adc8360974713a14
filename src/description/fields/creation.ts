import type { CreditPolicy, IdempotencyMode } from '../../transport/run/settings';
import type { Field } from '../operation';
import { additionalJson } from './additionalJson';
import { dryRun, maxCredits } from './cost';
import { optionList } from './optionList';
import { options } from './options';
import { downloadAfterWait, outputBinaryField, splitOutputs } from './outputs';

export const waitForCompletion: Field = {
	ui: {
		displayName: 'Wait for Completion',
		name: 'waitForCompletion',
		type: 'boolean',
		default: true,
		description:
			'Whether to wait until the job has ended. Otherwise the output is the job as it was queued. Stopping the execution does not stop the job: it goes on and is paid for. Get Many lists generations and agent runs with their IDs, and MediaGen Job fetches any job by its ID.',
	},
};

/** The modes are the same for whatever is created; what a repeated request would come to differs. */
export const idempotencyOptions = (made: string, afterCrash: string, ifRetried: string) =>
	optionList<IdempotencyMode>({
		execution: {
			name: 'Execution Item',
			description: `The same item of an execution, including Retry On Fail and Retry Execution. After a crash of n8n, a new execution ${afterCrash}.`,
		},
		content: {
			name: 'Content',
			description: `The same request of this node within 24 hours gives the same ${made}: identical items, rounds of a loop and other executions, also after a crash of n8n`,
		},
		custom: {
			name: 'Custom Key',
			description:
				'Requests with the same key, which you give, within 24 hours: also in another execution and after a crash of n8n',
		},
		none: {
			name: 'Try (No Protection)',
			description: `Every attempt is a new request: a retried node may ${ifRetried}`,
		},
	});

export const idempotency: Field = {
	ui: {
		displayName: 'Pay Only Once Per',
		name: 'idempotency',
		type: 'options',
		default: 'execution' satisfies IdempotencyMode,
		description:
			'What counts as the same request, which is carried out and paid for only once (its idempotency key)',
		options: idempotencyOptions('media', 'pays again', 'pay again'),
	},
};

export const idempotencyKey: Field = {
	ui: {
		displayName: 'Idempotency Key',
		name: 'idempotencyKey',
		type: 'string',
		displayOptions: { show: { idempotency: ['custom' satisfies IdempotencyMode] } },
		default: '',
		placeholder: 'e.g. order-{{ $json.ID }}',
		description:
			'Requests with the same key are carried out and paid for once: at most 255 characters, different for each request',
	},
};

const onInsufficientCredits: Field = {
	ui: {
		displayName: 'When Credits Run Out',
		name: 'onInsufficientCredits',
		type: 'options',
		default: 'stop' satisfies CreditPolicy,
		description: 'What to do when the workspace has too few credits for an item',
		options: optionList<CreditPolicy>({
			continue: {
				name: 'Continue With Error Items',
				description: 'Finished items go on, the others become error items',
			},
			stop: {
				name: 'Stop',
				description:
					'Nothing further is sent; the error counts what was submitted and what was not',
			},
			wait: {
				name: 'Wait for Top-Up',
				description: 'Retry at intervals until there are credits, up to Credit Wait Timeout',
			},
		}),
	},
};

const creditWaitTimeout: Field = {
	ui: {
		displayName: 'Credit Wait Timeout (Minutes)',
		name: 'creditWaitTimeout',
		type: 'number',
		displayOptions: { show: { onInsufficientCredits: ['wait' satisfies CreditPolicy] } },
		typeOptions: { minValue: 1 },
		default: 60,
		description: 'How long an item waits for a top-up',
	},
};

export const waitTimeout: Field = {
	ui: {
		displayName: 'Wait Timeout (Minutes)',
		name: 'waitTimeout',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 30,
		description:
			'How long to wait for a job to end. After that the error names the job, which goes on and can be fetched later. As a tool of an AI agent 45 seconds unless this is set.',
	},
};

/**
 * What every creation of a job offers besides its own fields.
 *
 * @param own options that only this creation has
 */
export const creationFields = (...own: Field[]): Field[] => [
	waitForCompletion,
	...downloadAfterWait,
	options([
		...own,
		additionalJson,
		creditWaitTimeout,
		dryRun,
		idempotencyKey,
		maxCredits,
		outputBinaryField,
		idempotency,
		splitOutputs,
		waitTimeout,
		onInsufficientCredits,
	]),
];
