import { retryMayPay } from '../../creation/idempotency/idempotency';
import type { IdempotencyMode, WorkflowMode } from '../../creation/item';
import type { OperationSpec } from '../../creation/operationSpec';
import { statesOf, isOutcomeOpen } from '../../creation/idempotency/itemState';
import type { End, Labels, Running } from '../nodeCall';

/** What the words of a failure depend on, beside the failure. */
export interface ErrorContext extends Pick<
	OperationSpec,
	'endpoint' | 'object' | 'creates' | 'charges'
> {
	itemIndex: number;
	/** How many items the run has. */
	items?: number;
	/** How many of them have a job; `undefined` if the run goes on, as the count would soon be wrong. */
	itemsWithJob?: number;
	/** The invalid items of the run, if it is known that none of its items is sent. */
	invalid?: readonly number[];
	labels?: Labels;
	/**
	 * The ids of the jobs that the item has created, also in an earlier try. An item with parts has several.
	 */
	jobIds?: readonly string[];
	/** Whether a request of the item was sent whose outcome is unknown, also in an earlier try. */
	outcomeUnknown?: boolean;
	idempotency?: IdempotencyMode;
	/**
	 * Whether the failure becomes a row and the run goes on: n8n retries only executions that have failed.
	 */
	isRow?: boolean;
	/** Whether an AI agent reads the words. */
	isTool?: boolean;
	/** How the workflow is run; default: `production`. */
	mode?: WorkflowMode;
}

/** What the words of a failure need to know of an item, as far as it could be put together. */
export function errorContextOf(
	{ call, operation, run }: Running,
	{ input, item }: End,
): ErrorContext {
	const { spec, labels } = operation;
	const common: ErrorContext = {
		endpoint: spec.endpoint,
		object: spec.object,
		creates: spec.creates ?? false,
		charges: spec.charges ?? false,
		labels,
		isTool: call.isTool,
		itemIndex: input.index,
		items: run.total,
	};
	if (!item) return common;
	const states = statesOf(item).map(([, state]) => state);
	return {
		...common,
		idempotency: item.settings.idempotency,
		mode: item.origin.mode,
		jobIds: states.flatMap((state) => ('job' in state ? [state.job.id] : [])),
		outcomeUnknown: states.some(isOutcomeOpen),
	};
}

/** How a person goes on with what is paid for, by how the workflow is run. */
const GO_ON: Record<WorkflowMode, string> = {
	manual: 'execute the node again',
	nested: 'retry the execution of this sub-workflow',
	production: 'retry this execution',
};

/** How an agent goes on: only with the same arguments it is the same call. */
const SAME_CALL = 'call this tool again with exactly the same arguments';

/**
 * How the reader of the words goes on with what is paid for. A row among others cannot be retried, because
 * n8n retries only executions that have failed.
 */
export function goOn({ isRow, isTool, mode = 'production' }: ErrorContext): string {
	if (isTool) return SAME_CALL;
	return isRow && mode !== 'manual' ? 'run this again' : GO_ON[mode];
}

/**
 * Whether the reader of the words can go on without paying again. With a row of an execution that went on, a
 * person can do so only in the editor.
 */
export function canGoOn({ idempotency, isRow, isTool, mode }: ErrorContext): boolean {
	if (idempotency && retryMayPay(idempotency)) return false;
	return isTool === true || !isRow || mode === 'manual';
}

const MAX_NAMED = 10;

/** The first names of a list, and how many more there are. */
export function firstOf(names: readonly unknown[], most = MAX_NAMED): string {
	const rest = names.length - most;
	return `${names.slice(0, most).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
