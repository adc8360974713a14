import type {
	DeclarativeRestApiSettings,
	IExecutePaginationFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
} from 'n8n-workflow';
import { batchOf, type Batch } from '../item/batch';
import type { Prepared } from '../item/prepared';
import { detailsOf, nodeError, describeFailure, type ErrorContext } from './errors';
import type { Labels } from './fieldLabels';
import { isOutOfCredits } from '../operations/haltRun';
import { errorItem, itemsOf } from './items';
import type { ItemMemory } from '../item/itemMemory';
import { isOpen } from '../item/itemState';
import { openRun } from './open';
import type { Failed, Result } from '../base/result';
import type { OperationSpec, Outcome, Item } from '../item/item';
import type { Known } from './spending';
import { runOperation } from '../operations';
import { inTurn } from './inTurn';

/** Whether it is only for lack of credits, and the user wants error items for that. */
function isTolerated(failed: Failed, opened: Result<Item>): boolean {
	const { failure } = failed;
	const lacksCredits = failure.kind === 'skipped' ? failure.credits : isOutOfCredits(failed);
	return lacksCredits && opened.ok && opened.value.settings.onInsufficientCredits === 'continue';
}

const knownOf = ({ state }: ItemMemory): Known => ({
	jobId: 'job' in state ? state.job.id : undefined,
	outcomeUnknown: isOpen(state),
});

function contextOf(
	batch: Batch,
	{ endpoint, object }: OperationSpec,
	itemIndex: number,
	opened: Result<Item>,
): ErrorContext {
	const { submitted, notSubmitted, total: items } = batch;
	const shared = { endpoint, object, itemIndex, items, submitted, notSubmitted };
	if (!opened.ok) return shared;
	const { settings, memory } = opened.value;
	return { ...shared, idempotency: settings.idempotency, known: knownOf(memory) };
}

/** An operation with the labels of its fields by the names that these have in the API. */
interface Runnable {
	plan: OperationSpec;
	labels: Labels;
}

const isOver = ({ isUnfinished }: Outcome) => !isUnfinished;

async function runItem(
	context: IExecutePaginationFunctions,
	options: IHttpRequestOptions,
	{ plan: spec, labels }: Runnable,
	batch: Batch,
	prepared: Result<Prepared>,
): Promise<INodeExecutionData[]> {
	const itemIndex = context.getItemIndex();
	const lenient = context.continueOnFail();
	if (!lenient && prepared.ok && batch.isRejected) return [];

	const opened = prepared.ok
		? await openRun(context, options, spec, batch, prepared.value)
		: prepared;
	const result = opened.ok ? await inTurn(opened.value, runOperation, isOver) : opened;
	if (result.ok && opened.ok) return itemsOf(result.value, opened.value.settings, itemIndex);

	const failed = result as Failed;
	const tolerated = lenient || isTolerated(failed, opened);
	if (!tolerated && failed.failure.kind === 'skipped') return [];
	const known = () => ({
		...contextOf(batch, spec, itemIndex, opened),
		...(tolerated && { submitted: undefined }),
		labels,
	});
	const node = context.getNode();
	const error = nodeError(node, failed, known());
	const describe = () => describeFailure(failed, known()).description;
	batch.keepError({ error, describe, ...(!tolerated && { thrownBy: itemIndex }) });
	if (!tolerated) throw error;
	// n8n runs the node again where the first item has an `error` in its json (Retry On Fail). Without keys that would be paid for again.
	const paysAgain = node.retryOnFail && itemIndex === 0 && known().idempotency === 'none';
	if (paysAgain) return [{ json: {}, error, pairedItem: { item: itemIndex } }];
	const row = node.onError === 'continueErrorOutput' ? undefined : context.getInputData().json;
	return [errorItem(error, detailsOf(failed, known()), itemIndex, row)];
}

/**
 * The runner: n8n's routing engine hands it the finished request of an item (as the pagination function of the node), and it
 * owns all that follows: turn, key, retries, paging, waiting, download, and what a failure becomes.
 *
 * Without Continue On Fail n8n throws the error of the first item that rejects, in their order, and sets that item's number
 * on it. So items that have no error of their own answer with nothing, and the one that has one is reported.
 */
export function runner(spec: OperationSpec, labels: Labels = {}) {
	return async function (
		this: IExecutePaginationFunctions,
		{ options }: DeclarativeRestApiSettings.ResultOptions,
	): Promise<INodeExecutionData[]> {
		const batch = batchOf(this);
		const prepared = batch?.begin(this.getItemIndex());
		if (!batch || !prepared) return [];
		try {
			const operation = { plan: spec, labels };
			return await runItem(this, options as IHttpRequestOptions, operation, batch, prepared);
		} finally {
			batch.end();
		}
	};
}
