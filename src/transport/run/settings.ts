import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { fail, ok, type Result } from '../base/result';
import { isRecord } from '../base/types';
import { flagOf, listOf } from '../base/values';
import { AGENT_TERMINAL_STATUSES, type TerminalStatuses } from '../jobs/jobState';
import { customKeyProblem } from './keys';
import { isTool, readParameter } from './nodeInput';

const IDEMPOTENCY_MODES = ['execution', 'content', 'custom', 'none'] as const;
/** Values of _Avoid Paying Twice_; workflows contain them. */
export type IdempotencyMode = (typeof IDEMPOTENCY_MODES)[number];

const CREDIT_POLICIES = ['stop', 'wait', 'continue'] as const;
/** Values of _When Credits Run Out_. */
export type CreditPolicy = (typeof CREDIT_POLICIES)[number];

/** What the user has set on the node for one item, besides the request itself. */
export interface Settings {
	waitForCompletion: boolean;
	downloadOutputs: boolean;
	/** Milliseconds. */
	waitTimeoutMs: number;
	splitOutputs: boolean;
	outputBinaryField: string;
	idempotency: IdempotencyMode;
	idempotencyKey: string;
	onInsufficientCredits: CreditPolicy;
	/** Milliseconds. */
	creditWaitTimeoutMs: number;
	/** The most that the execution may reserve; 0 for no limit. */
	maxCredits: number;
	/** Whether to output what would be sent instead of sending it. */
	dryRun: boolean;
	/** `Infinity` for all. */
	limit: number;
	/** Whether entries are output without what makes them large. */
	simplify?: boolean;
	/** Whether a one-time signing secret is output. */
	includeSecret?: boolean;
	/** Whether a run is approved with less than its estimate. */
	allowBudgetBelowEstimate?: boolean;
	/** Whether the fields of the input item are output too. */
	includeInputFields?: boolean;
	/** What ends a wait for an agent run. */
	terminalStatuses?: TerminalStatuses;
	/**
	 * Whether the node is a tool: an AI agent reads the answer, and gives up after about a minute.
	 */
	isTool?: boolean;
}

const OPTION = 'options.';

/** A parameter whose value cannot be used. */
class InvalidSetting extends Error {
	constructor(
		readonly field: string,
		readonly problem: string,
	) {
		super(problem);
	}
}

/** @throws InvalidSetting; `problem` follows the label of the field */
const invalid = (field: string, problem: string): never => {
	throw new InvalidSetting(field, problem);
};

/**
 * Reads the parameters that control the transport. Expressions may evaluate to anything, so each
 * one is checked.
 */
class ParameterReader {
	private readonly options: Record<string, unknown>;

	constructor(private readonly context: IExecuteSingleFunctions) {
		const options = readParameter(context, 'options', {});
		this.options = isRecord(options) ? options : {};
	}

	/**
	 * n8n evaluates each parameter separately, which takes time; all options together are one
	 * parameter.
	 */
	value(name: string, fallback: unknown): unknown {
		if (!name.startsWith(OPTION)) return readParameter(this.context, name, fallback);
		return this.options[name.slice(OPTION.length)] ?? fallback;
	}

	flag(name: string, label: string): boolean {
		return flagOf(this.value(name, false)) ?? invalid(label, 'must be true or false');
	}

	positive(name: string, label: string, fallback: number): number {
		const value = Number(this.value(name, fallback));
		return Number.isFinite(value) && value > 0 ? value : invalid(label, 'must be a number above 0');
	}

	/**
	 * 0 for no limit, but only if given explicitly: an expression without a value must not lift it.
	 */
	ceiling(name: string, label: string): number {
		if (!Object.hasOwn(this.options, name)) return 0;
		const value = this.options[name];
		const isNumber =
			typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
		const ceiling = isNumber ? Number(value) : NaN;
		return Number.isFinite(ceiling) && ceiling >= 0
			? ceiling
			: invalid(label, 'must be a number: 0 for no limit, or more');
	}

	choice<T extends string>(
		name: string,
		label: string,
		[first, ...others]: readonly [T, ...T[]],
	): T {
		const value = this.value(name, first);
		const known = [first, ...others].find((one) => one === value);
		return known ?? invalid(label, `must be one of ${[first, ...others].join(', ')}`);
	}

	text(name: string, fallback: string): string {
		const value = this.value(name, fallback);
		return typeof value === 'string' ? value : String(value ?? '');
	}

	/** Names, as an array or as text separated by commas or line breaks. */
	names(name: string, label: string, fallback: readonly string[]): readonly string[] {
		const names = listOf(this.value(name, fallback));
		return names.length > 0 ? names : invalid(label, 'is empty');
	}
}

/** How long to wait for a job unless the user sets it. */
const DEFAULT_WAIT_MINUTES = 30;
const TOOL_WAIT_MINUTES = 0.75;

function readIdempotency(
	reader: ParameterReader,
): Pick<Settings, 'idempotency' | 'idempotencyKey'> {
	const idempotency = reader.choice('options.idempotency', 'Avoid Paying Twice', IDEMPOTENCY_MODES);
	// HTTP drops blanks at the ends of a header: a blank key would be none, and each retry paid for.
	const idempotencyKey = reader.text('options.idempotencyKey', '').trim();
	const problem = idempotency === 'custom' ? customKeyProblem(idempotencyKey) : undefined;
	return problem ? invalid('Idempotency Key', problem) : { idempotency, idempotencyKey };
}

function readLimit(reader: ParameterReader): number {
	if (reader.flag('returnAll', 'Return All')) return Infinity;
	const value = reader.positive('limit', 'Limit', 50);
	return Number.isInteger(value) ? value : invalid('Limit', 'must be a whole number');
}

/**
 * @param terminalStatuses what ends the wait for an agent run unless the user sets other statuses
 * @returns a failure of kind `input` naming the first parameter that cannot be used
 */
export function readSettings(
	context: IExecuteSingleFunctions,
	terminalStatuses: TerminalStatuses = AGENT_TERMINAL_STATUSES,
): Result<Settings> {
	try {
		const reader = new ParameterReader(context);
		const isRunByAgent = isTool(context);
		const defaultWait = isRunByAgent ? TOOL_WAIT_MINUTES : DEFAULT_WAIT_MINUTES;
		const waitForCompletion = reader.flag('waitForCompletion', 'Wait for Completion');
		const field = reader.text('options.outputBinaryField', 'data').trim();
		return ok({
			waitForCompletion,
			downloadOutputs: reader.flag('downloadOutputs', 'Download Outputs'),
			waitTimeoutMs: reader.positive('options.waitTimeout', 'Wait Timeout', defaultWait) * 60_000,
			isTool: isRunByAgent,
			splitOutputs: reader.flag('options.splitOutputs', 'Split Outputs'),
			outputBinaryField: field || invalid('Output Binary Field', 'is empty'),
			...readIdempotency(reader),
			onInsufficientCredits: reader.choice(
				'options.onInsufficientCredits',
				'When Credits Run Out',
				CREDIT_POLICIES,
			),
			creditWaitTimeoutMs:
				reader.positive('options.creditWaitTimeout', 'Credit Wait Timeout', 60) * 60_000,
			maxCredits: reader.ceiling('maxCredits', 'Max Credits per Execution'),
			dryRun: reader.flag('options.dryRun', 'Dry Run'),
			limit: readLimit(reader),
			simplify: reader.flag('simplify', 'Simplify'),
			includeSecret: reader.flag('options.includeSigningSecret', 'Include Signing Secret'),
			allowBudgetBelowEstimate: reader.flag(
				'options.allowBudgetBelowEstimate',
				'Allow Budget Below Estimate',
			),
			includeInputFields: reader.flag('options.includeInputFields', 'Include Input Fields'),
			terminalStatuses: {
				good: reader.names('options.waitStatuses', 'Wait Until Status', terminalStatuses.good),
				bad: reader.names('options.failureStatuses', 'Failure Statuses', terminalStatuses.bad),
			},
		});
	} catch (error) {
		if (error instanceof InvalidSetting) {
			return fail({ kind: 'input', field: error.field, problem: error.problem });
		}
		return fail({ kind: 'input', field: 'A parameter', problem: 'cannot be evaluated' });
	}
}
