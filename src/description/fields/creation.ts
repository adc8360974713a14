import type { Field } from '../operation';
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

export const idempotency: Field = {
	ui: {
		displayName: 'Idempotency',
		name: 'idempotency',
		type: 'options',
		default: 'execution',
		description: 'What counts as the same request, which is carried out and paid for once',
		options: [
			{
				name: 'By Content',
				value: 'content',
				description:
					'The same request of this node within 24 hours, also in another execution, gives the same media again',
			},
			{
				name: 'Custom Key',
				value: 'custom',
				description: 'Requests with the same key, which you give, within 24 hours',
			},
			{
				name: 'None',
				value: 'none',
				description: 'Every request is new: a retried node may pay again',
			},
			{
				name: 'Per Execution Item',
				value: 'execution',
				description: 'The same item of an execution, also over Retry On Fail and Retry Execution',
			},
		],
	},
};

export const idempotencyKey: Field = {
	ui: {
		displayName: 'Idempotency Key',
		name: 'idempotencyKey',
		type: 'string',
		default: '',
		placeholder: 'e.g. order-{{ $json.ID }}',
		description:
			'Used with Idempotency set to Custom Key: at most 255 characters, different for each item',
	},
};

export const onInsufficientCredits: Field = {
	ui: {
		displayName: 'When Credits Run Out',
		name: 'onInsufficientCredits',
		type: 'options',
		default: 'stop',
		description: 'What to do when the workspace has too few credits for an item',
		options: [
			{
				name: 'Continue With Error Items',
				value: 'continue',
				description: 'Finished items go on, the others become error items',
			},
			{
				name: 'Stop',
				value: 'stop',
				description:
					'Nothing further is sent; the error counts what was submitted and what was not',
			},
			{
				name: 'Wait for Top-Up',
				value: 'wait',
				description: 'Try again now and then until there are credits, up to Credit Wait Timeout',
			},
		],
	},
};

export const creditWaitTimeout: Field = {
	ui: {
		displayName: 'Credit Wait Timeout (Minutes)',
		name: 'creditWaitTimeout',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 60,
		description:
			'How long an item waits for a top-up, with When Credits Run Out set to Wait for Top-Up',
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
			'How long to wait for a job to end. After that the error names the job, which goes on and can be fetched later.',
	},
};

/** What every creation of a job offers besides its own fields. */
export const creationFields: Field[] = [
	waitForCompletion,
	downloadAfterWait,
	options([
		creditWaitTimeout,
		idempotency,
		idempotencyKey,
		outputBinaryField,
		splitOutputs,
		waitTimeout,
		onInsufficientCredits,
	]),
];
