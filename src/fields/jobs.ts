import type { IDisplayOptions } from 'n8n-workflow';
import { DELIVERIES, type Delivery, type Json } from '../contract';
import { AGENT_STATUSES, type TerminalStatuses } from '../service/jobState';
import type { CreditPolicy, IdempotencyMode } from '../run/item';
import { inBody, optionList, options, type Field } from './operation';
import { choice, jsonObject } from './rules';

export const waitForCompletion: Field = {
	displayName: 'Wait for Completion',
	name: 'waitForCompletion',
	type: 'boolean',
	default: true,
	description:
		'Whether to wait for the result. Stopping the execution does not stop the job, which is paid for.',
};

export const waitTimeout: Field = {
	displayName: 'Wait Timeout (Minutes)',
	name: 'waitTimeout',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 30,
	description:
		'How long to wait for a job, which then goes on. For an AI agent 45 seconds by default.',
};

export const idempotencyOptions = (once: string, again: string) =>
	optionList<IdempotencyMode>({
		execution: {
			name: 'On Retries',
			description: `Retry On Fail and Executions > Retry ${once}; a new execution ${again}`,
		},
		content: {
			name: 'Same Request Within 24 Hours',
			description: `The same request ${once}, in whatever item, loop or execution, even after a crash`,
		},
		custom: {
			name: 'Own Key',
			description: `The same key ${once} within 24 hours, in whatever execution`,
		},
		none: { name: 'Off', description: `Each attempt is a new request: a retry ${again}` },
	});

export const idempotency: Field = {
	displayName: 'Avoid Paying Twice',
	name: 'idempotency',
	type: 'options',
	default: 'execution' satisfies IdempotencyMode,
	description: 'Which requests count as the same and are paid for once',
	options: idempotencyOptions('never pays twice', 'pays again'),
};

export const idempotencyKey: Field = {
	displayName: 'Idempotency Key',
	name: 'idempotencyKey',
	type: 'string',
	displayOptions: { show: { idempotency: ['custom' satisfies IdempotencyMode] } },
	default: '',
	placeholder: 'e.g. order-{{ $json.ID }}',
	description: 'At most 255 characters, different for each request',
};

const onInsufficientCredits: Field = {
	displayName: 'When Credits Run Out',
	name: 'onInsufficientCredits',
	type: 'options',
	default: 'stop' satisfies CreditPolicy,
	description: 'What to do when credits are too few for an item',
	options: optionList<CreditPolicy>({
		continue: {
			name: 'Continue With Error Items',
			description: 'Finished items go on, the others become error items',
		},
		stop: {
			name: 'Stop',
			description: 'Nothing further is sent; the error counts what was submitted and what was not',
		},
		wait: {
			name: 'Wait for Top-Up',
			description: 'Retry at intervals until there are credits, up to Credit Wait Timeout',
		},
	}),
};

const creditWaitTimeout: Field = {
	displayName: 'Credit Wait Timeout (Minutes)',
	name: 'creditWaitTimeout',
	type: 'number',
	displayOptions: { show: { onInsufficientCredits: ['wait' satisfies CreditPolicy] } },
	typeOptions: { minValue: 1 },
	default: 60,
	description: 'How long an item waits for a top-up',
};

/** Empty when it is added: a number there would look like a limit that somebody has chosen. */
const maxCredits: Field = {
	displayName: 'Max Credits per Execution',
	name: 'maxCredits',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: '',
	placeholder: 'e.g. 500',
	description: 'The most that all MediaGen nodes of one execution may reserve; 0 means no limit',
};

/** For operations without *When Credits Run Out*. */
export const maxCreditsOrStop: Field = {
	...maxCredits,
	description:
		'The most that all MediaGen nodes of one execution may reserve, 0 for no limit. An item above it stops the execution.',
};

const dryRun: Field = {
	displayName: 'Dry Run',
	name: 'dryRun',
	type: 'boolean',
	default: false,
	description: 'Whether to output the request and its price instead of sending it',
};

const includeInputFields: Field = {
	displayName: 'Include Input Fields',
	name: 'includeInputFields',
	type: 'boolean',
	default: false,
	description: 'Whether to keep the input fields that the result does not have',
};

/** Specification: CreateGeneration and CreateSpeechGeneration, `delivery`. */
export const delivery: Field = {
	displayName: 'Delivery',
	name: 'delivery',
	type: 'options',
	options: optionList<Delivery>({
		public_url: {
			name: 'Public URL',
			description: 'Anyone who has the link can open it',
		},
		signed_url: {
			name: 'Signed URL',
			description: 'The link expires; reading the job again gives a new one',
		},
	}),
	default: 'signed_url' satisfies Delivery,
	description: 'Who can open the links to the files; without this option anyone',
	mapping: inBody('delivery', choice(DELIVERIES)),
};

const isPlainObject = (value: unknown): value is Json =>
	typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** A copy with the values of `added`, which win; objects are merged, everything else is replaced. */
function merged(values: Json, added: Json): Json {
	const result = { ...values };
	for (const [name, value] of Object.entries(added)) {
		const before = Object.hasOwn(values, name) ? values[name] : undefined;
		result[name] = isPlainObject(before) && isPlainObject(value) ? merged(before, value) : value;
	}
	return result;
}

/**
 * For models and fields that are newer than this package. It wins over the fields of the node: a new
 * value of a field that is always sent, such as the mode, could not be sent otherwise.
 */
export const additionalJson: Field = {
	displayName: 'Additional JSON',
	name: 'additionalFields',
	type: 'json',
	typeOptions: { rows: 4 },
	default: '{}',
	hint: 'Such as { "parameters": { "seed": 7 } }; wins over the fields above',
	description: 'Further fields of the API, as a JSON object',
	mapping: {
		...inBody('additionalFields', jsonObject()),
		apply: (body, added) => Object.assign(body, merged(body, added as Json)),
	},
};

const AS_TOOL = { '@tool': [true] };

/** On unless the node is a tool: files do not reach an AI agent, and make it wait for longer. */
const download = (show: NonNullable<IDisplayOptions['show']> = {}): Field[] => [
	{
		displayName: 'Download Outputs',
		name: 'downloadOutputs',
		type: 'boolean',
		displayOptions: { show, hide: AS_TOOL },
		default: true,
		description: 'Whether to download the files into binary fields',
	},
	{
		displayName: 'Download Outputs',
		name: 'downloadOutputs',
		type: 'boolean',
		displayOptions: { show: { ...show, ...AS_TOOL } },
		default: false,
		description:
			'Whether to download the finished files too. They stay with the run of this tool; the AI agent gets the links.',
	},
];

export const downloadFinished = download();

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

export const fileOptions = [outputBinaryField, splitOutputs];

export const existingOutputs: Field[] = [downloadExisting, options(fileOptions)];

export const statusFields = ({ good, bad }: TerminalStatuses): Field[] => [
	{
		displayName: 'Wait Until Status',
		name: 'waitStatuses',
		type: 'string',
		default: good.join(', '),
		placeholder: 'e.g. awaiting_review, completed',
		description:
			'The statuses of an agent run that has ended well or waits for you, separated by commas. Change them if the service uses other names.',
	},
	{
		displayName: 'Failure Statuses',
		name: 'failureStatuses',
		type: 'string',
		default: bad.join(', '),
		placeholder: 'e.g. failed',
		description: 'The statuses of an agent run that has failed, separated by commas',
	},
];

/** What reading a job offers that may be an agent run: `finished` follows the statuses. */
export const existingRunOutputs: Field[] = [
	downloadExisting,
	options([...statusFields(AGENT_STATUSES.any), ...fileOptions]),
];

/** The options of every creation, whatever it makes. */
export const keyOptions: Field[] = [
	additionalJson,
	dryRun,
	idempotency,
	idempotencyKey,
	includeInputFields,
];

export const paidKeyOptions: Field[] = [...keyOptions, maxCreditsOrStop];

export const creditOptions: Field[] = [creditWaitTimeout, maxCredits, onInsufficientCredits];

/** What every creation of a job offers besides its own fields and its `own` options. */
export const creationFields = (own: Field[], wait = waitForCompletion): Field[] => [
	wait,
	...download({ waitForCompletion: [true] }),
	options([...keyOptions, ...own, ...fileOptions, waitTimeout]),
];
