import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { customKeyProblem } from './idempotency';
import { AGENT_TERMINAL_STATUSES, type TerminalStatuses } from '../jobs/jobState';
import { isTool } from '../host/nodeInput';
import { fail, ok, type Result } from '../base/result';
import { isRecord } from '../base/types';

const IDEMPOTENCY_MODES = ['execution', 'content', 'custom', 'none'] as const;
export type IdempotencyMode = (typeof IDEMPOTENCY_MODES)[number];

const CREDIT_POLICIES = ['stop', 'wait', 'continue'] as const;
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
	/** `Infinity` for all. */
	wanted: number;
	/** Whether entries are shown without what makes them large. */
	simplify?: boolean;
	/** Whether a one-time signing secret is shown. */
	includeSecret?: boolean;
	/** What ends a wait for an agent run. */
	terminalStatuses?: TerminalStatuses;
	/** Whether the node is a tool: an AI agent reads the answer, and gives up after about a minute. */
	isTool?: boolean;
}

/** How long to wait for a job unless the user has set it, in minutes. */
const USUAL_WAIT = 30;
const TOOL_WAIT = 0.75;

const OPTION = 'options.';

const TRUE = new Set<unknown>([true, 'true', 1, '1']);
const FALSE = new Set<unknown>([false, 'false', 0, '0', '', null, undefined]);

class InvalidSetting extends Error {
	constructor(
		readonly field: string,
		readonly problem: string,
	) {
		super(problem);
	}
}

const refuse = (field: string, problem: string): never => {
	throw new InvalidSetting(field, problem);
};

/** Reads the parameters that steer the transport; expressions may give anything, so each is checked. */
class Reader {
	private readonly options: Record<string, unknown>;

	constructor(private readonly context: IExecuteSingleFunctions) {
		const options: unknown = context.getNodeParameter('options', {});
		this.options = isRecord(options) ? options : {};
	}

	/** n8n looks up and evaluates each parameter by itself, which costs; all options are one. */
	value(name: string, fallback: unknown): unknown {
		if (!name.startsWith(OPTION)) return this.context.getNodeParameter(name, fallback);
		return this.options[name.slice(OPTION.length)] ?? fallback;
	}

	flag(name: string, label: string): boolean {
		const value = this.value(name, false);
		if (TRUE.has(value)) return true;
		return FALSE.has(value) ? false : refuse(label, 'must be true or false');
	}

	positive(name: string, label: string, fallback: number): number {
		const value = Number(this.value(name, fallback));
		return Number.isFinite(value) && value > 0 ? value : refuse(label, 'must be a number above 0');
	}

	choice<T extends string>(
		name: string,
		label: string,
		[first, ...others]: readonly [T, ...T[]],
	): T {
		const value = this.value(name, first);
		const known = [first, ...others].find((one) => one === value);
		return known ?? refuse(label, `must be one of ${[first, ...others].join(', ')}`);
	}

	text(name: string, fallback: string): string {
		const value = this.value(name, fallback);
		return typeof value === 'string' ? value : String(value ?? '');
	}

	/** Names, as an array or as text with commas or line breaks between them. */
	names(name: string, label: string, fallback: readonly string[]): readonly string[] {
		const value = this.value(name, fallback);
		const given: unknown[] = Array.isArray(value) ? value : String(value ?? '').split(/[,\n]/);
		const names = given.map((entry) => String(entry ?? '').trim()).filter((entry) => entry !== '');
		return names.length > 0 ? names : refuse(label, 'is empty');
	}
}

function idempotencyOf(reader: Reader): Pick<Settings, 'idempotency' | 'idempotencyKey'> {
	const idempotency = reader.choice('options.idempotency', 'Pay Only Once Per', IDEMPOTENCY_MODES);
	const idempotencyKey = reader.text('options.idempotencyKey', '');
	const problem = idempotency === 'custom' ? customKeyProblem(idempotencyKey) : undefined;
	return problem ? refuse('Idempotency Key', problem) : { idempotency, idempotencyKey };
}

function wantedOf(reader: Reader): number {
	if (reader.flag('returnAll', 'Return All')) return Infinity;
	const limit = reader.positive('limit', 'Limit', 50);
	return Number.isInteger(limit) ? limit : refuse('Limit', 'must be a whole number');
}

/**
 * @param endings what ends a wait for an agent run where the user has set nothing
 * @returns a failure of kind `input` naming the first parameter that cannot be used
 */
export function readSettings(
	context: IExecuteSingleFunctions,
	terminalStatuses: TerminalStatuses = AGENT_TERMINAL_STATUSES,
): Result<Settings> {
	try {
		const reader = new Reader(context);
		const asTool = isTool(context);
		const usualWait = asTool ? TOOL_WAIT : USUAL_WAIT;
		const waitForCompletion = reader.flag('waitForCompletion', 'Wait for Completion');
		const field = reader.text('options.outputBinaryField', 'data').trim();
		return ok({
			waitForCompletion,
			downloadOutputs: reader.flag('downloadOutputs', 'Download Outputs'),
			waitTimeoutMs: reader.positive('options.waitTimeout', 'Wait Timeout', usualWait) * 60_000,
			isTool: asTool,
			splitOutputs: reader.flag('options.splitOutputs', 'Split Outputs'),
			outputBinaryField: field || refuse('Output Binary Field', 'is empty'),
			...idempotencyOf(reader),
			onInsufficientCredits: reader.choice(
				'options.onInsufficientCredits',
				'When Credits Run Out',
				CREDIT_POLICIES,
			),
			creditWaitTimeoutMs:
				reader.positive('options.creditWaitTimeout', 'Credit Wait Timeout', 60) * 60_000,
			wanted: wantedOf(reader),
			simplify: reader.flag('simplify', 'Simplify'),
			includeSecret: reader.flag('options.includeSigningSecret', 'Include Signing Secret'),
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
