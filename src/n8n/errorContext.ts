import { retryMayPay } from '../creation/idempotency';
import type { IdempotencyMode, OperationSpec, WorkflowMode } from '../creation/item';

/** Labels of the editor by the path of the field in the request, such as `parameters.count`. */
export type Labels = Record<string, string>;

/** What the words of a failure depend on, beside the failure. */
export interface ErrorContext extends Pick<
	OperationSpec,
	'endpoint' | 'object' | 'creates' | 'charges'
> {
	itemIndex: number;
	/** How many items the run has. */
	items?: number;
	/** How many of them have a job; `undefined` if the run goes on and the count would soon be wrong. */
	submitted?: number;
	/** The items of the run that are wrong by themselves, if it is known that none is sent. */
	invalid?: readonly number[];
	labels?: Labels;
	/** The jobs that the item has created, also by an earlier try: several where it has parts. */
	jobIds?: readonly string[];
	/** Whether a request was sent whose outcome is unknown, also by an earlier try. */
	outcomeUnknown?: boolean;
	idempotency?: IdempotencyMode;
	/** Whether the failure becomes a row of a run that goes on: n8n retries only executions that failed. */
	isRow?: boolean;
	/** Whether an AI agent reads it. */
	isTool?: boolean;
	/** How the workflow is run; default: `production`. */
	mode?: WorkflowMode;
}

/** How to go on with what is paid for, where the error is read. */
const GO_ON: Record<WorkflowMode, string> = {
	manual: 'execute the node again',
	nested: 'retry the execution of this sub-workflow',
	production: 'retry this execution',
};

/** What a model is told: only with these arguments it is the same call. */
const SAME_CALL = 'call this tool again with exactly the same arguments';

/** n8n retries only executions that have failed: not that of a row among others. */
export function goOn({ isRow, isTool, mode = 'production' }: ErrorContext): string {
	if (isTool) return SAME_CALL;
	return isRow && mode !== 'manual' ? 'run this again' : GO_ON[mode];
}

/** Whether its reader can go on: a person with a row of an execution that went on only in the editor. */
export function canGoOn({ idempotency, isRow, isTool, mode }: ErrorContext): boolean {
	if (idempotency && retryMayPay(idempotency)) return false;
	return isTool === true || !isRow || mode === 'manual';
}

const MAX_NAMED = 10;

/** The first of a list of names, and how many more there are. */
export function firstOf(names: readonly unknown[], where = ''): string {
	const rest = names.length - MAX_NAMED;
	return `${names.slice(0, MAX_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more${where}` : ''}`;
}
