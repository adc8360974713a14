import { systemClock } from '../base/clock';
import { ok, type Failed, type Result } from '../base/result';
import { create } from '../creation/creation';
import { dayWarning } from '../creation/credits/ledger';
import { dryRun } from '../creation/dryRun';
import { memoriesOf, recordEnd, statesOf } from '../creation/idempotency/itemState';
import type { Item, ItemOutput, WorkflowMode } from '../creation/item';
import { createParts } from '../creation/parts';
import { haltAlike, recordAccepted } from '../creation/refusals';
import { Run } from '../creation/run';
import { WITHOUT_CREATION } from '../reads/reads';
import { workspaceOf } from '../transport/workspace';
import { ALL_AT_ONCE, checkAll, type CheckedItems, type Ready } from './check';
import { faultOf } from './faults';
import { n8nHost } from './n8nHost';
import type { End, Input, NodeCall, Runnable, Running } from './nodeCall';
import { errorContextOf } from './output/errorContext';
import { runError } from './output/errors';
import { bareRow, failedRow } from './output/failedRows';
import { receiptOf } from './output/receipt';
import { goodRows } from './output/rows';
import { findMemory, rememberedBy, type Remembered } from './remembered';
import { answerInTime } from './tool';
import type { INodeExecutionData } from 'n8n-workflow';

/*
 * A run of the node, from top to bottom: all items are read and checked; nothing is sent if one of them is
 * invalid and the run would fail; each item is run to its end; then n8n gets the rows, or one error, and one
 * sentence above them (the receipt).
 */

/** The same with its rows, of which a failed item has none where its run fails. */
interface Finished extends End {
	rows: INodeExecutionData[];
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
	const running = { call, operation, run };
	const remembered = rememberedBy(call, operation.spec);
	if (creates) remembered.ofWorkflow.watch(call.signal, remembered);
	let ends: Finished[] = [];
	let hasFailed = true;
	try {
		throwFailure(running, invalidOf(call, checked));
		const itemEnds = await runAll(running, remembered, checked);
		ends = itemEnds.map((end) => withRows(running, end));
		throwFailure(running, ends);
		hasFailed = false;
		addReceipt(running, ends);
	} finally {
		if (creates) recordEndOfRun(call, remembered, ends, hasFailed);
	}
	return ends.flatMap(({ rows }) => rows);
}

/** The items that are invalid: they have come to their end before they began. */
const invalidOf = (call: NodeCall, checked: CheckedItems): End[] =>
	call.inputs.flatMap((input) => {
		const result = checked.get(input.index);
		return result?.ok === false ? [{ input, result }] : [];
	});

/** @throws NodeApiError if one of these items has failed, unless a failed item becomes a row */
function throwFailure(running: Running, ends: End[]): void {
	const { call, run } = running;
	const broken = call.continuesOnFail ? undefined : reported(ends);
	if (broken) throw runError(call.node, broken.failed, errorContextOf(running, broken.end), run);
}

/** Whether nothing was sent for an item, because it is invalid or because of others. */
const isUnsent = ({ item, result }: End): boolean =>
	item === undefined || (!result.ok && result.failure.kind === 'skipped');

/**
 * Runs all items. With Batching of Request Options they begin in portions, with a pause after each, unless
 * nothing was sent for it.
 */
async function runAll(
	running: Running,
	remembered: Remembered,
	checked: CheckedItems,
): Promise<End[]> {
	const { call, run } = running;
	const [first] = [...checked.values()].flatMap((one) => (one.ok ? [one.value] : []));
	const { size, pauseMs } = first?.sendOptions.portions ?? ALL_AT_ONCE;
	const inputs = call.inputs.filter(({ index }) => checked.has(index));
	const ends: Array<Promise<End>> = [];
	for (let begun = 0; begun < inputs.length; begun += size) {
		const portion = inputs.slice(begun, begun + size).flatMap((input) => {
			const ready = checked.get(input.index);
			return ready ? [runToEnd(running, remembered, input, ready)] : [];
		});
		for (const end of portion) ends.push(end);
		if (begun + size >= inputs.length || pauseMs <= 0) continue;
		const unsent = new AbortController();
		void Promise.all(portion).then((all) => {
			if (all.every(isUnsent)) unsent.abort();
		});
		await systemClock.sleep(pauseMs, AbortSignal.any([run.all.stop, unsent.signal]));
	}
	return await Promise.all(ends);
}

/**
 * Runs one item to its end. It never rejects: whatever throws on the way, the error must name what is paid
 * for.
 */
async function runToEnd(
	running: Running,
	remembered: Remembered,
	input: Input,
	ready: Result<Ready>,
): Promise<End> {
	if (!ready.ok) return { input, result: ready };
	let item: Item | undefined;
	let result: Result<ItemOutput>;
	try {
		item = openItem(running, remembered, input, ready.value);
		result = await resultOf(item);
	} catch (error) {
		result = faultOf(error);
	}
	if (item && !result.ok) nameEarlierJobs(item);
	return { input, item, result };
}

/** n8n's modes as errors tell them apart. All other modes are production. */
const WORKFLOW_MODES: Partial<Record<NodeCall['mode'], WorkflowMode>> = {
	manual: 'manual',
	integrated: 'nested',
};

/** Puts together all that an item needs: its host, the workspace of its key, and its memory. */
function openItem(
	{ call, operation, run }: Running,
	remembered: Remembered,
	input: Input,
	{ access, noService, sendOptions, ...prepared }: Ready,
): Item {
	const { spec } = operation;
	const { nodeMemory, executionSum, lost, mayResumeLost, requester } = remembered;
	const { place, ...found } = findMemory(call, spec, remembered, input, prepared.request);
	const context = {
		functions: call.functions,
		credential: async () => await call.credential(input.index),
		files: () => input.files,
		signal: call.signal,
		fairnessKey: call.executionId || 'manual',
		item: place,
		timeoutMs: sendOptions.timeoutMs,
		responseTimeoutMs: spec.responseTimeoutMs,
		webhookAddress: () => call.webhookAddress(input.index),
	};
	const mode = WORKFLOW_MODES[call.mode] ?? 'production';
	return {
		...prepared,
		...found,
		spec,
		run,
		itemIndex: input.index,
		host: n8nHost(context, access, sendOptions),
		workspace: workspaceOf(access, call.credentialId),
		hasService: noService === undefined,
		credential: { problem: noService, excludedScopes: access.excludedScopes },
		nodeMemory,
		executionSum,
		lost,
		origin: { place, requester, mode, timezone: call.timezone, mayResumeLost },
	};
}

/**
 * The error of the run also names jobs of earlier tries: the run may have been halted before they were read
 * again, or they cannot be read.
 */
function nameEarlierJobs(item: Item): void {
	for (const [part, state] of statesOf(item))
		if ('job' in state) item.run.addEarlierJob(item.itemIndex, state.job, part);
}

/** Runs an item, and remembers for the next try whether it has ended well. */
async function resultOf(item: Item): Promise<Result<ItemOutput>> {
	const { settings, origin } = item;
	// A tool call has ended only once the agent was told its result: `answerInTime` remembers that.
	if (settings.isTool) return await answerInTime(item, runItem);
	const result = await runItem(item);
	if (!settings.dryRun) recordEnd(item, result.ok ? origin.requester.execution : undefined);
	return result;
}

/**
 * Runs the operation for an item, from its checked request to its output. If another item has failed in a
 * way that ends this one too, its signal is aborted, so that nothing is sent.
 */
export async function runItem(item: Item): Promise<Result<ItemOutput>> {
	const { workspace } = item;
	workspace.workBegins();
	let result: Result<ItemOutput>;
	try {
		result = await carryOut(item);
	} finally {
		workspace.workEnds();
	}
	if (!result.ok) {
		haltAlike(item, result);
		return result;
	}
	// Of what creates, `tellRun` in `answer.ts` has told it when its answer came, long before its end.
	if (!item.spec.creates) recordAccepted(item);
	const warnings = [result.value.warning, item.warning, dayWarning(item)].filter(
		(one) => one !== undefined,
	);
	const warning = warnings.length > 0 ? warnings.join('. ') : undefined;
	return ok({ ...result.value, warning });
}

/** Chooses what carries the item out. Not `async`: see `WaitQueue`. */
function carryOut(item: Item): Promise<Result<ItemOutput>> {
	const { spec, settings, parts = [] } = item;
	if (spec.perform) return spec.perform(item);
	if (!spec.creates) return WITHOUT_CREATION[spec.output](item);
	if (settings.dryRun) return dryRun(item);
	return parts.length < 2 ? create(item) : createParts(item, parts);
}

/** Makes the rows of an item. If that throws, the item has failed, whatever it has made. */
function withRows(running: Running, end: End): Finished {
	try {
		return { ...end, rows: rowsOfEnd(running, end) };
	} catch (error) {
		const failed = { ...end, result: faultOf(error) };
		try {
			if (end.item) recordEnd(end.item, undefined);
			return { ...failed, rows: rowsOfEnd(running, failed) };
		} catch {
			return { ...failed, rows: bareRow(running.call, end) };
		}
	}
}

/** The rows of an item: none for one that has failed where its run fails too. */
function rowsOfEnd(running: Running, end: End): INodeExecutionData[] {
	const { call } = running;
	const { input, item, result } = end;
	if (!result.ok) return call.continuesOnFail ? [failedRow(running, end, result)] : [];
	return item ? goodRows(call, input, item, result.value) : [];
}

/**
 * The failure that the error of the run is about: the first one, but not that of an item which was only
 * skipped because of another.
 */
function reported(ends: End[]): { failed: Failed; end: End } | undefined {
	const broken = ends.flatMap((end) => (end.result.ok ? [] : [{ failed: end.result, end }]));
	return broken.find(({ failed }) => failed.failure.kind !== 'skipped') ?? broken[0];
}

/** Shows the receipt above the output. A receipt that cannot be made must not fail a run that is paid for. */
function addReceipt(running: Running, ends: End[]): void {
	try {
		const receipt = receiptOf(running, ends);
		if (receipt) running.call.addHint(receipt);
	} catch {
		// The receipt says nothing that the rows do not say.
	}
}

/**
 * Tells the memory of the workflow what the next click in the editor may find again. A cancelled run is not
 * told here, because it may end much later: that memory hears of the cancel by itself (`watch`).
 * @param hasFailed whether n8n gets no result of any item
 */
function recordEndOfRun(
	call: NodeCall,
	remembered: Remembered,
	ends: End[],
	hasFailed: boolean,
): void {
	if (call.signal?.aborted) return;
	try {
		const items = ends.flatMap(({ item }) => (item ? memoriesOf(item) : []));
		// The agent has been told of each call by itself, so a failed call leaves nothing of the others to be
		// found.
		remembered.ofWorkflow.runEnded(remembered, items, hasFailed && !call.isTool);
	} catch {
		// The rows are there, and only the next click would have needed this.
	}
}
