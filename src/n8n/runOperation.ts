import type { INodeExecutionData } from 'n8n-workflow';
import { systemClock } from '../base/clock';
import type { Failed, Result } from '../base/result';
import type { NodeCall } from './call';
import { ALL_AT_ONCE, checkAll, type Ready, type Runnable } from './check';
import type { ErrorContext } from './errorContext';
import { describeFailure, detailsOf, nodeError, runError } from './errors';
import { retryMayPay } from '../creation/idempotency';
import { lostRequestsOf } from '../creation/lostRequests';
import { receiptOf } from './receipt';
import { errorOutputItem, errorRow, itemsOf, runOfRow, toolRow } from './rows';
import { Run } from '../creation/run';
import { runToEnd, type End, type Remembered } from './runItem';
import { faultOf } from './faults';
import { memoriesOf, nodeMemory, noteEnd, statesOf } from '../creation/memory';
import { isOutcomeOpen } from '../creation/state';

/*
 * A run of the node, from top to bottom: all items are read and checked, nothing is sent if one is invalid,
 * all are run, and what has become of them are rows, or one error, and one sentence about it.
 */

function rememberedBy(call: NodeCall): Remembered {
	const { executionId: execution, place, credentialId: credential, order } = call;
	const owner = { execution, isManual: call.mode === 'manual', node: place, credential, order };
	const node = nodeMemory(call.nodeMemory, execution);
	const ofWorkflow = lostRequestsOf(call.workflow);
	return { node, owner, ofWorkflow, lost: ofWorkflow.poolOf(owner) };
}

/** What an error says of an item, as far as it could be opened. */
function contextOf(
	{ isTool }: NodeCall,
	{ spec, labels }: Runnable,
	run: Run,
	{ input, item }: Pick<End, 'input' | 'item'>,
): ErrorContext {
	const known: ErrorContext = {
		endpoint: spec.endpoint,
		object: spec.object,
		creates: spec.creates ?? false,
		charges: spec.charges ?? false,
		labels,
		isTool,
		itemIndex: input.index,
		items: run.total,
	};
	if (!item) return known;
	const states = statesOf(item).map(([, state]) => state);
	return {
		...known,
		idempotency: item.settings.idempotency,
		mode: item.origin.mode,
		jobIds: states.flatMap((state) => ('job' in state ? [state.job.id] : [])),
		outcomeUnknown: states.some(isOutcomeOpen),
	};
}

/** Runs all items; with Batching of Request Options they begin in portions. */
async function runAll(
	call: NodeCall,
	operation: Runnable,
	run: Run,
	remembered: Remembered,
	checked: ReadonlyMap<number, Result<Ready>>,
): Promise<End[]> {
	const [first] = [...checked.values()].flatMap((one) => (one.ok ? [one.value] : []));
	const { size, pauseMs } = first?.sending.portions ?? ALL_AT_ONCE;
	const running: Array<Promise<End>> = [];
	for (const [position, input] of call.inputs.entries()) {
		if (position > 0 && position % size === 0) await systemClock.sleep(pauseMs, run.stop);
		const ready = checked.get(input.index);
		if (!ready) continue;
		running.push(runToEnd(call, operation, run, remembered, input, ready));
	}
	return await Promise.all(running);
}

/** A failed row, in the shape that n8n needs for what is set under _On Error_. */
function failedRow(
	call: NodeCall,
	operation: Runnable,
	run: Run,
	end: End,
	failed: Failed,
): INodeExecutionData {
	const { node, isTool } = call;
	const { index, json } = end.input;
	const context = { ...contextOf(call, operation, run, end), isRow: true };
	// n8n runs the node again if the first item has an `error` in its json (Retry On Fail). Without keys that
	// would be paid for again.
	const mayPay = context.idempotency !== undefined && retryMayPay(context.idempotency);
	if (node.retryOnFail && index === 0 && mayPay)
		return { json: {}, error: nodeError(node, failed, context), pairedItem: { item: index } };
	const details = detailsOf(failed, context);
	if (node.onError === 'continueErrorOutput')
		return errorOutputItem(nodeError(node, failed, context), details, index);
	if (isTool) return toolRow(describeFailure(failed, context), details, index);
	const settings = end.item?.settings;
	const ofSettings = settings?.includeInputFields ? settings.resultField : undefined;
	return errorRow(describeFailure(failed, context), details, {
		item: index,
		json,
		resultField: ofSettings ?? failed.resultField,
		resource: runOfRow(failed),
	});
}

/** The rows that an item becomes. */
function rowsOf(call: NodeCall, operation: Runnable, run: Run, end: End): INodeExecutionData[] {
	const { input, item, result } = end;
	if (!result.ok) return call.continuesOnFail ? [failedRow(call, operation, run, end, result)] : [];
	if (!item) return [];
	const { settings } = item;
	const { includeInputFields, isTool, resultField = '' } = settings;
	// An agent has written the input itself.
	const isWanted = includeInputFields && !isTool;
	const row = isWanted ? { json: input.json, resultField } : undefined;
	const request = operation.spec.creates ? item.request : undefined;
	const rows = itemsOf(result.value, settings, { item: input.index, row, request });
	const { linkTo } = call;
	if (!linkTo) return rows;
	for (const { json, binary = {} } of rows) {
		const known = Object.values(binary)
			.map(linkTo)
			.filter((link) => link !== undefined);
		if (known.length > 0) json.files = known;
	}
	return rows;
}

/** An item that has ended, with its rows if it has any. */
interface Finished extends End {
	rows: INodeExecutionData[];
}

/** A row where no words can be made: no fault of ours may take those of other items with it. */
function bareRow(call: NodeCall, { input: { index } }: End): INodeExecutionData[] {
	if (!call.continuesOnFail) return [];
	const json = {
		status: 'failed',
		error: 'A fault of this node: what became of it cannot be said',
	};
	return [{ json, pairedItem: { item: index } }];
}

/** Makes the rows of an item; where that fails, so has the item, whatever it has made. */
function finish(call: NodeCall, operation: Runnable, run: Run, end: End): Finished {
	try {
		return { ...end, rows: rowsOf(call, operation, run, end) };
	} catch (error) {
		const failed = { ...end, result: faultOf(error) };
		try {
			if (end.item) noteEnd(end.item, undefined);
			return { ...failed, rows: rowsOf(call, operation, run, failed) };
		} catch {
			return { ...failed, rows: bareRow(call, end) };
		}
	}
}

/** The failure that the run is told by: that of the first item which says something by itself. */
function reported(ends: End[]): { failed: Failed; end: End } | undefined {
	const broken = ends.flatMap((end) => (end.result.ok ? [] : [{ failed: end.result, end }]));
	return broken.find(({ failed }) => failed.failure.kind !== 'skipped') ?? broken[0];
}

/** A sentence that cannot be made must not take with it what is paid for. */
async function addReceipt(
	call: NodeCall,
	operation: Runnable,
	run: Run,
	ends: End[],
): Promise<void> {
	const wordsOf = (end: End, failed: Failed): string => {
		const context = { ...contextOf(call, operation, run, end), isRow: true };
		return describeFailure(failed, context).message;
	};
	try {
		const receipt = await receiptOf(operation.spec, run, ends, wordsOf);
		if (receipt) call.addHint(receipt);
	} catch {
		// It says nothing that the rows do not say.
	}
}

/**
 * What the end of a run means for what it has paid for. A stop is heard by itself: the run may end much
 * later.
 * @param hasFailed whether n8n is given no result of any item
 */
function noteEndOfRun(
	call: NodeCall,
	{ node, ofWorkflow, owner }: Remembered,
	ends: End[],
	hasFailed: boolean,
): void {
	if (call.signal?.aborted) return;
	try {
		const items = ends.flatMap(({ item }) => (item ? memoriesOf(item) : []));
		// An agent is told what a call of a tool has failed to do, and has had the results of the others.
		ofWorkflow.ended(node, items, owner, hasFailed && !call.isTool);
	} catch {
		// Only the next click would need it, and the rows are there.
	}
}

/**
 * Runs an operation for all items of its input.
 * @returns the rows of all items
 * @throws NodeApiError without Continue On Fail, once all items have ended
 */
export async function runOperation(
	call: NodeCall,
	operation: Runnable,
): Promise<INodeExecutionData[]> {
	const { creates } = operation.spec;
	const checked = await checkAll(call, operation);
	const run = new Run(checked, call.continuesOnFail, call.signal);
	const remembered = rememberedBy(call);
	const { ofWorkflow, node, owner } = remembered;
	if (creates) ofWorkflow.watch(call.signal, node, owner);
	let ends: Finished[] = [];
	let hasFailed = true;
	try {
		const input = call.inputs.find(({ index }) => checked.get(index)?.ok === false);
		const unfit = input && checked.get(input.index);
		if (input && unfit?.ok === false && !call.continuesOnFail)
			throw runError(call.node, unfit, contextOf(call, operation, run, { input }), run);
		const ended = await runAll(call, operation, run, remembered, checked);
		ends = ended.map((end) => finish(call, operation, run, end));
		const broken = call.continuesOnFail ? undefined : reported(ends);
		if (broken)
			throw runError(call.node, broken.failed, contextOf(call, operation, run, broken.end), run);
		hasFailed = false;
		await addReceipt(call, operation, run, ends);
	} finally {
		if (creates) noteEndOfRun(call, remembered, ends, hasFailed);
	}
	return ends.flatMap(({ rows }) => rows);
}
