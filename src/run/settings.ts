import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { fail, ok, type Result } from '../base/result';
import { isRecord } from '../base/types';
import { flagOf, listOf } from '../base/values';
import { AGENT_STATUSES, type TerminalStatuses } from '../service/jobState';
import { CREDIT_POLICIES, IDEMPOTENCY_MODES, type Settings } from './item';
import { customKeyProblem } from './keys';
import { isTool, readParameter } from './nodeInput';

/** A parameter whose value cannot be used; `problem` follows the label of its field. */
class InvalidSetting extends Error {
	constructor(
		readonly field: string,
		readonly problem: string,
	) {
		super(problem);
	}
}

const invalid = (field: string, problem: string): never => {
	throw new InvalidSetting(field, problem);
};

const flag = (label: string, value: unknown): boolean =>
	flagOf(value) ?? invalid(label, 'must be true or false');

function positive(label: string, value: unknown): number {
	const number = Number(value);
	const isValid = Number.isFinite(number) && number > 0;
	return isValid ? number : invalid(label, 'must be a number above 0');
}

/** An expression without a value must not lift a limit, so nothing counts as 0 but 0 itself. */
function ceiling(label: string, value: unknown): number {
	const isNumber = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
	const number = isNumber ? Number(value) : NaN;
	const isValid = Number.isFinite(number) && number >= 0;
	return isValid
		? number
		: invalid(label, 'must be a number, 0 or more; without the option there is no limit');
}

const oneOf = <T extends string>(label: string, value: unknown, choices: readonly T[]): T =>
	choices.find((one) => one === value) ?? invalid(label, `must be one of ${choices.join(', ')}`);

/** Names, as an array or as text separated by commas or line breaks. */
function names(label: string, value: unknown): readonly string[] {
	const list = listOf(value);
	return list.length > 0 ? list : invalid(label, 'is empty');
}

/** HTTP drops blanks at the ends of a header: a blank key would be none, and each retry paid for. */
function keyOfUser(value: unknown): string {
	const key = String(value).trim();
	const problem = customKeyProblem(key);
	return problem === undefined ? key : invalid('Idempotency Key', problem);
}

function limitOf(value: unknown): number {
	const limit = positive('Limit', value);
	return Number.isInteger(limit) ? limit : invalid('Limit', 'must be a whole number');
}

/** How long to wait for a job unless the user sets it. */
const DEFAULT_WAIT_MINUTES = 30;
const TOOL_WAIT_MINUTES = 0.75;

/**
 * Reads the parameters that control the transport. Expressions may evaluate to anything, so each
 * one is checked.
 * @param terminalStatuses what ends the wait for an agent run unless the user sets other statuses
 * @returns a failure of kind `input` naming the first parameter that cannot be used
 */
export function readSettings(
	context: IExecuteSingleFunctions,
	terminalStatuses: TerminalStatuses = AGENT_STATUSES.any,
): Result<Settings> {
	const isRunByAgent = isTool(context);
	const defaultWait = isRunByAgent ? TOOL_WAIT_MINUTES : DEFAULT_WAIT_MINUTES;
	try {
		const given = (name: string, fallback: unknown) => readParameter(context, name, fallback);
		// All together, as n8n evaluates each parameter by itself, which takes time.
		const read = given('options', {});
		const options = isRecord(read) ? read : {};
		const option = (name: string, fallback: unknown) => options[name] ?? fallback;
		const idempotency = oneOf(
			'Avoid Paying Twice',
			option('idempotency', 'execution'),
			IDEMPOTENCY_MODES,
		);
		const field = String(option('outputBinaryField', 'data')).trim();
		const waitMinutes = positive('Wait Timeout', option('waitTimeout', defaultWait));
		const topUpMinutes = positive('Credit Wait Timeout', option('creditWaitTimeout', 60));
		return ok({
			waitForCompletion: flag('Wait for Completion', given('waitForCompletion', false)),
			downloadOutputs: flag('Download Outputs', given('downloadOutputs', false)),
			waitTimeoutMs: waitMinutes * 60_000,
			isTool: isRunByAgent,
			splitOutputs: flag('Split Outputs', option('splitOutputs', false)),
			outputBinaryField: field || invalid('Output Binary Field', 'is empty'),
			idempotency,
			idempotencyKey: idempotency === 'custom' ? keyOfUser(option('idempotencyKey', '')) : '',
			onInsufficientCredits: oneOf(
				'When Credits Run Out',
				option('onInsufficientCredits', 'stop'),
				CREDIT_POLICIES,
			),
			creditWaitTimeoutMs: topUpMinutes * 60_000,
			maxCredits: Object.hasOwn(options, 'maxCredits')
				? ceiling('Max Credits per Execution', options.maxCredits)
				: Infinity,
			dryRun: flag('Dry Run', option('dryRun', false)),
			limit: flag('Return All', given('returnAll', false)) ? Infinity : limitOf(given('limit', 50)),
			simplify: flag('Simplify', given('simplify', false)),
			includeSecret: flag('Include Signing Secret', option('includeSigningSecret', false)),
			allowBudgetBelowEstimate: flag(
				'Allow Budget Below Estimate',
				option('allowBudgetBelowEstimate', false),
			),
			includeInputFields: flag('Include Input Fields', option('includeInputFields', false)),
			terminalStatuses: {
				good: names('Wait Until Status', option('waitStatuses', terminalStatuses.good)),
				bad: names('Failure Statuses', option('failureStatuses', terminalStatuses.bad)),
			},
		});
	} catch (error) {
		if (error instanceof InvalidSetting) {
			return fail({ kind: 'input', field: error.field, problem: error.problem });
		}
		return fail({ kind: 'input', field: 'A parameter', problem: 'cannot be evaluated' });
	}
}
