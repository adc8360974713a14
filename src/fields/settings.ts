import { LIMITS } from '../api';
import { AGENT_STATUSES, type TerminalStatuses } from '../transport/jobState';
import { ownKeyProblem } from '../creation/idempotency/idempotency';
import {
	CREDIT_POLICIES,
	IDEMPOTENCY_CHOICES,
	type CreditPolicy,
	type IdempotencyChoice,
	type IdempotencyMode,
	type Settings,
} from '../creation/item';
import type { OperationSpec } from '../creation/operationSpec';
import { quoted } from '../base/texts';
import { MINUTE_MS } from '../base/times';
import { RESERVED_NAMES } from './reservedNames';
import { asSetting, optionList, type Field } from './operation';
import { choice, flag, minutes, name, names, number, type Rule } from './rules';

/** The value of an option that was added and left empty, or that was not added. */
const USUAL = {
	outputBinaryField: 'data',
	resultField: 'mediagen',
	idempotency: 'execution',
	onInsufficientCredits: 'stop',
	waitMinutes: 30,
	waitMinutesOfTool: 0.75,
	creditWaitMinutes: 60,
	limit: 50,
} as const;

/** The settings of an operation none of whose fields has a value. */
export const usualSettings = (
	{ terminalStatuses = AGENT_STATUSES.any }: Pick<OperationSpec, 'terminalStatuses'>,
	isTool: boolean,
): Settings => ({
	waitForCompletion: false,
	downloadOutputs: false,
	waitTimeoutMs: (isTool ? USUAL.waitMinutesOfTool : USUAL.waitMinutes) * MINUTE_MS,
	isTool,
	splitOutputs: false,
	outputBinaryField: USUAL.outputBinaryField,
	idempotency: USUAL.idempotency,
	idempotencyKey: '',
	onInsufficientCredits: USUAL.onInsufficientCredits,
	creditWaitTimeoutMs: USUAL.creditWaitMinutes * MINUTE_MS,
	maxCredits: Infinity,
	maxCreditsPerDay: Infinity,
	dryRun: false,
	limit: USUAL.limit,
	simplify: false,
	includeSecret: false,
	allowBudgetBelowEstimate: false,
	includeInputFields: false,
	resultField: USUAL.resultField,
	terminalStatuses: { ...terminalStatuses },
});

/** The default is off, because users add the option only to switch it off. */
export const waitForCompletion: Field = {
	displayName: 'Wait for Completion',
	name: 'waitForCompletion',
	type: 'boolean',
	default: false,
	description: 'Whether to wait for the job to end (on by default)',
	mapping: asSetting('waitForCompletion', flag()),
};

export const waitTimeout: Field = {
	displayName: 'Wait Timeout (Minutes)',
	name: 'waitTimeout',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: USUAL.waitMinutes,
	description: 'How long to wait for a job, which then goes on. For an AI agent: 45 seconds.',
	mapping: asSetting('waitTimeoutMs', minutes()),
};

/** @param unless where the same request is not carried out once only */
export const idempotencyOptions = (once: string, again: string, unless = '') =>
	optionList<IdempotencyChoice>({
		execution: {
			name: 'On Retries',
			description: `A retry (Retry On Fail, or Executions > Retry) ${once}; a new execution ${again}`,
		},
		content: {
			name: 'Same Request Within 24 Hours',
			description: `The same request ${once}, in any item, loop or execution, even after a crash${unless}`,
		},
		editor: {
			name: 'Same in the Editor',
			description: 'Same Request in the editor, On Retries in production',
		},
		custom: {
			name: 'Own Key',
			description: `The same key ${once} within 24 hours, in any execution`,
		},
		none: { name: 'Off', description: `Each attempt is a new request: a retry ${again}` },
	});

export const idempotency: Field = {
	displayName: 'Avoid Paying Twice',
	name: 'idempotency',
	type: 'options',
	default: USUAL.idempotency,
	description: 'Which requests count as the same and are paid for once',
	options: idempotencyOptions(
		'never pays twice',
		'pays again',
		'. After a refusal for lack of credits, this may hold in one n8n process only.',
	),
	mapping: { ...asSetting('idempotency', choice(IDEMPOTENCY_CHOICES)), guardsMoney: true },
};

/**
 * The key is trimmed, because HTTP drops blanks at the ends of a header: with them and without them it would
 * be one key.
 */
const ownKey: Rule = (value, context) => {
	const ruled = name({ required: true })(value, context);
	const problem = 'value' in ruled ? ownKeyProblem(String(ruled.value)) : undefined;
	return problem === undefined ? ruled : { problem };
};

export const idempotencyKey: Field = {
	displayName: 'Own Key',
	name: 'idempotencyKey',
	type: 'string',
	displayOptions: { show: { idempotency: ['custom' satisfies IdempotencyMode] } },
	default: '',
	placeholder: 'e.g. order-{{ $json.ID }}',
	description: `A key that you choose, such as an order number. Each request needs another one, of at most ${LIMITS.idempotencyKeyLength.max} characters.`,
	mapping: asSetting('idempotencyKey', ownKey),
};

/** A value of the drafts before 0.1.0, which a workflow may hold that was saved with one. */
const FORMER_POLICY = 'continue';

const creditPolicy: Rule = (value, context) => {
	const now: CreditPolicy = 'stop';
	return choice(CREDIT_POLICIES)(value === FORMER_POLICY ? now : value, context);
};

export const onInsufficientCredits: Field = {
	displayName: 'When Credits Run Out',
	name: 'onInsufficientCredits',
	type: 'options',
	default: USUAL.onInsufficientCredits,
	description: 'What to do when the credits run out',
	options: optionList<CreditPolicy>({
		stop: {
			name: 'Stop',
			description: 'Nothing more is sent; with On Error: Continue, cheaper items still are',
		},
		wait: {
			name: 'Wait for Top-Up',
			description: 'Retry at intervals until there are credits, up to Credit Wait Timeout',
		},
	}),
	mapping: asSetting('onInsufficientCredits', creditPolicy),
};

export const creditWaitTimeout: Field = {
	displayName: 'Credit Wait Timeout (Minutes)',
	name: 'creditWaitTimeout',
	type: 'number',
	displayOptions: { show: { onInsufficientCredits: ['wait' satisfies CreditPolicy] } },
	typeOptions: { minValue: 1 },
	default: USUAL.creditWaitMinutes,
	description: 'How long an item waits for a top-up',
	mapping: asSetting('creditWaitTimeoutMs', minutes()),
};

export const maxCredits: Field = {
	displayName: 'Max Credits per Execution',
	name: 'maxCredits',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 100,
	description:
		'The most credits that one execution may reserve. With On Error: Continue, cheaper items are still sent.',
	mapping: { ...asSetting('maxCredits', number({ min: 0 })), guardsMoney: true },
};

/** Used by operations that do not have *When Credits Run Out*. */
export const maxCreditsOrStop: Field = {
	...maxCredits,
	description:
		'The most credits that all MediaGen nodes of one execution may reserve. An item above it stops the execution.',
};

/**
 * A limit for a day. For schedules, agents and MCP it is the only useful one, because there each call is an
 * execution of its own.
 */
export const maxCreditsPerDay: Field = {
	displayName: 'Max Credits per Day',
	name: 'maxCreditsPerDay',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 1_000,
	description:
		'The most credits that the whole workspace may spend a day, in the time zone of the workflow. The key needs generations:read and usage:read.',
	mapping: { ...asSetting('maxCreditsPerDay', number({ min: 0 })), guardsMoney: true },
};

export const dryRun: Field = {
	displayName: 'Dry Run',
	name: 'dryRun',
	type: 'boolean',
	default: true,
	description: 'Whether to output the request and its price instead of sending it',
	mapping: { ...asSetting('dryRun', flag()), guardsMoney: true, guardsSending: true },
};

export const includeInputFields: Field = {
	displayName: 'Include Input Fields',
	name: 'includeInputFields',
	type: 'boolean',
	default: true,
	description: 'Whether to keep the input item and put the result into one field of it',
	mapping: asSetting('includeInputFields', flag()),
};

/**
 * Some names of fields are not allowed: with them n8n takes an item for a failed one, and may run a node
 * again that has succeeded.
 */
const fieldForResult: Rule = (value, context) => {
	const ruled = name()(value, context);
	const isMeant = 'value' in ruled && RESERVED_NAMES.includes(String(ruled.value));
	return isMeant
		? { problem: `must not be ${quoted(ruled.value)}, to which n8n gives a meaning of its own` }
		: ruled;
};

export const resultField: Field = {
	displayName: 'Result Field',
	name: 'resultField',
	type: 'string',
	displayOptions: { show: { includeInputFields: [true] } },
	default: USUAL.resultField,
	description: 'The field that the result is put into',
	mapping: asSetting('resultField', fieldForResult),
};

const AS_TOOL = { '@tool': [true] };

const DOWNLOAD = {
	displayName: 'Download Outputs',
	name: 'downloadOutputs',
	type: 'boolean',
	mapping: asSetting('downloadOutputs', flag()),
} as const;

/** On by default, except in a tool: files do not reach an AI agent, and make it wait longer. */
export const downloadFinished: Field[] = [
	{
		...DOWNLOAD,
		displayOptions: { hide: AS_TOOL },
		default: true,
		description: 'Whether to download the files into binary fields',
	},
	{
		...DOWNLOAD,
		displayOptions: { show: AS_TOOL },
		default: false,
		description:
			'Whether to download the finished files too. They stay with the run of this tool; the AI agent gets the links.',
	},
];

/** The option of a creation. Users add it to switch it off, or in a tool to switch it on. */
export const downloadOutputs: Field = {
	...DOWNLOAD,
	default: false,
	description: 'Whether to download the files (on by default)',
};

/**
 * The settings that count if the options with the same names were not added. They are hidden, so that a new
 * node opens with what everybody needs, but a workflow may contain them.
 */
export const waitUnlessOption: Field = { ...waitForCompletion, type: 'hidden', default: true };
export const downloadUnlessOption: Field[] = downloadFinished.map((field) => ({
	...field,
	type: 'hidden',
}));

export const downloadExisting: Field = {
	...DOWNLOAD,
	default: false,
	description:
		'Whether to download the files into binary fields of the output, if the job has finished',
};

/** The option of operations that make a persona or a voice. */
export const downloadPreview: Field = {
	...DOWNLOAD,
	displayName: 'Download Preview',
	name: 'downloadPreview',
	default: true,
	description: 'Whether to download the preview, if there is one, into a binary field',
};

export const outputBinaryField: Field = {
	displayName: 'Output Binary Field',
	name: 'outputBinaryField',
	type: 'string',
	default: USUAL.outputBinaryField,
	placeholder: 'e.g. data',
	hint: 'The name of the output binary field to put the file in',
	description: 'Further files get _1, _2 and so on after the name',
	mapping: asSetting('outputBinaryField', name()),
};

export const splitOutputs: Field = {
	displayName: 'Split Outputs',
	name: 'splitOutputs',
	type: 'boolean',
	default: true,
	description: 'Whether to output one item per file',
	mapping: asSetting('splitOutputs', flag()),
};

export const statusFields = ({ good, bad }: TerminalStatuses): Field[] => [
	{
		displayName: 'Statuses That End the Wait',
		name: 'waitStatuses',
		type: 'string',
		default: good.join(', '),
		placeholder: 'e.g. awaiting_review, completed',
		description:
			'The statuses of an agent run that has ended well or waits for you, separated by commas. Change them if the service uses other names.',
		mapping: asSetting('terminalStatuses.good', names()),
	},
	{
		displayName: 'Statuses That Mean Failure',
		name: 'failureStatuses',
		type: 'string',
		default: bad.join(', '),
		placeholder: 'e.g. failed',
		description: 'The statuses of an agent run that has failed, separated by commas',
		mapping: asSetting('terminalStatuses.bad', names()),
	},
];
