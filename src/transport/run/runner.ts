import type {
	DeclarativeRestApiSettings,
	IExecutePaginationFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
} from 'n8n-workflow';
import { systemClock } from '../base/clock';
import type { Batch } from './batch';
import { batchOf } from './joinBatch';
import type { Prepared } from './prepared';
import { detailsOf, nodeError, describeFailure, type ErrorContext } from './errors';
import type { Labels } from './fieldLabels';
import { becomesErrorItem } from './credits';
import { highlightJobs } from './highlights';
import { errorOutputItem, errorRow, itemsOf } from './items';
import type { ItemMemory } from './itemMemory';
import { isOutcomeOpen } from './itemState';
import { openItem } from './open';
import type { Failed, Result } from '../base/result';
import type { OperationSpec, Outcome, Item } from './item';
import type { Known } from './spending';
import { runOperation } from './operations';
import { rejectMismatchedFiles } from './mismatchedFiles';
import { runThroughGate } from './runThroughGate';

const knownOf = ({ state }: ItemMemory): Known => ({
	jobId: 'job' in state ? state.job.id : undefined,
	outcomeUnknown: isOutcomeOpen(state),
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

/** An operation with the labels of its fields, by the names of these fields in the API. */
interface Runnable {
	spec: OperationSpec;
	labels: Labels;
}

const isFinished = ({ isUnfinished }: Outcome) => !isUnfinished;

async function runItem(
	context: IExecutePaginationFunctions,
	options: IHttpRequestOptions,
	{ spec, labels }: Runnable,
	batch: Batch,
	prepared: Result<Prepared>,
): Promise<INodeExecutionData[]> {
	const itemIndex = context.getItemIndex();
	const continuesOnFail = context.continueOnFail();
	if (!continuesOnFail && prepared.ok && batch.isRejected) return [];

	const opened = prepared.ok
		? await batch.opening.run(systemClock, async () => {
				return await openItem(context, options, spec, batch, prepared.value);
			})
		: prepared;
	let conflict: Failed | undefined;
	if (opened.ok && ((await rejectMismatchedFiles(opened.value)) || batch.isRejected)) {
		const checked = batch.beginItem(itemIndex);
		conflict = checked?.ok === false ? checked : undefined;
		if (conflict || !continuesOnFail) opened.value.release?.(false);
		if (!conflict && !continuesOnFail) return [];
	}
	const result =
		conflict ?? (opened.ok ? await runThroughGate(opened.value, runOperation, isFinished) : opened);
	if (result.ok && opened.ok) return itemsOf(result.value, opened.value.settings, itemIndex);

	const failed = result as Failed;
	const isForCredits = opened.ok && becomesErrorItem(failed, opened.value.settings);
	const isTolerated = continuesOnFail || isForCredits;
	const isReported = failed.failure.kind !== 'skipped' && batch.reportsErrorOf(itemIndex);
	// An error takes a stack trace; when thousands of items fail at once, n8n would stand still. So only where n8n needs one.
	if (!isTolerated && !isReported) return [];
	const errorContext = (): ErrorContext => {
		const context = { ...contextOf(batch, spec, itemIndex, opened), labels };
		// The run goes on, so the count would soon be wrong.
		return isTolerated ? { ...context, submitted: undefined, isRow: true } : context;
	};
	const node = context.getNode();
	if (!isTolerated) {
		const error = nodeError(node, failed, errorContext());
		const describe = () => describeFailure(failed, errorContext()).description;
		batch.addError({ error, describe, thrownBy: itemIndex });
		throw error;
	}
	const known = errorContext();
	// n8n runs the node again if the first item has an `error` in its json (Retry On Fail). Without keys that would be
	// paid for again.
	const paysAgain = node.retryOnFail && itemIndex === 0 && known.idempotency === 'none';
	if (paysAgain) {
		return [{ json: {}, error: nodeError(node, failed, known), pairedItem: { item: itemIndex } }];
	}
	const details = detailsOf(failed, known);
	if (node.onError === 'continueErrorOutput') {
		return [errorOutputItem(nodeError(node, failed, known), details, itemIndex)];
	}
	const row = context.getInputData().json;
	return [errorRow(describeFailure(failed, known), details, itemIndex, row)];
}

/**
 * The runner: n8n's routing engine passes it the finished request of an item (as the pagination function of the node).
 * Everything after that happens here: gate, key, retries, paging, waiting, download and error handling.
 *
 * Without Continue On Fail, n8n throws the error of the first item that rejects and sets that item's index on it. So
 * items without an error of their own return nothing, and the one with an error is reported.
 */
export function runner(spec: OperationSpec, labels: Labels = {}) {
	return async function (
		this: IExecutePaginationFunctions,
		{ options }: DeclarativeRestApiSettings.ResultOptions,
	): Promise<INodeExecutionData[]> {
		const batch = batchOf(this);
		const prepared = batch?.beginItem(this.getItemIndex());
		if (!batch || !prepared) return [];
		try {
			const operation = { spec, labels };
			const request = options as IHttpRequestOptions;
			return await runItem(this, request, operation, batch, prepared);
		} finally {
			batch.endItem();
			if (batch.hasEnded) highlightJobs(this, batch.jobIds);
		}
	};
}
