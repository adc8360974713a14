import type { INodeExecutionData } from 'n8n-workflow';
import { systemClock } from '../base/clock';
import type { Failed, Result } from '../base/result';
import { functionsOf, type Input, type NodeCall } from './call';
import { portionsOf } from './requestOptions';
import { n8nHost } from './host';
import { workspaceOf } from '../transport/workspace';
import { checkAll, excludedScopes, type Ready, type Runnable } from './check';
import { executionCredits } from '../creation/cap';
import type { ErrorContext } from './errorContext';
import { describeFailure, detailsOf, nodeError, runError } from './errors';
import { identify } from './identity';
import type { Item, Outcome, WorkflowMode } from '../creation/item';
import { lostRequestsOf, type LostOfWorkflow, type Owner } from '../creation/lostRequests';
import { receiptOf } from './receipt';
import { errorOutputItem, errorRow, itemsOf, runOfRow, toolRow } from './rows';
import { Run } from '../creation/run';
import { faultOf, runItem } from './runItem';
import { memoriesOf, nodeMemory, noteEnd, statesOf, type NodeMemory } from '../creation/memory';
import { isOutcomeOpen } from '../creation/state';
import { answerInTime } from './tool';

/*
 * A run of the node, from top to bottom: all items are read and checked, nothing is sent if one is invalid,
 * all are run, and what has become of them are rows, or one error, and one sentence about it.
 */

/** What has become of an item. */
interface End {
	input: Input;
	/** Unless something was wrong with it. */
	item?: Item;
	result: Result<Outcome>;
}

function workflowMode({ mode }: NodeCall): WorkflowMode {
	if (mode === 'manual') return 'manual';
	return mode === 'integrated' ? 'nested' : 'production';
}

/** What a run shares with others: what n8n keeps of the node, what was lost, and who asks. */
interface Remembered {
	node: NodeMemory;
	lost: LostOfWorkflow;
	owner: Owner;
}

function rememberedBy(call: NodeCall): Remembered {
	const { executionId: execution, place, credentialId: credential, order } = call;
	return {
		node: nodeMemory(call.nodeMemory, execution),
		lost: lostRequestsOf(call.workflow),
		owner: { execution, isManual: call.mode === 'manual', node: place, credential, order },
	};
}

/** Puts together all that an item needs. */
function openItem(
	call: NodeCall,
	{ spec }: Runnable,
	run: Run,
	{ node, lost, owner }: Remembered,
	input: Input,
	{ access, hasService, noService, sending, ...prepared }: Ready,
): Item {
	const { baseUrl, key, limits } = access;
	const { executionId, credentialId, mode } = call;
	const { item, memory, inputFingerprint } = identify(call, input, spec, run, node);
	const { timeoutMs, ...options } = sending;
	const host = n8nHost(
		{
			functions: functionsOf(call, input.index),
			files: () => input.files,
			signal: call.signal,
			fairnessKey: executionId || 'manual',
			timeoutMs,
			responseTimeoutMs: spec.responseTimeoutMs,
			webhookAddress: () => call.webhookAddress(input.index),
		},
		{ url: '', baseURL: baseUrl, ...options },
		key,
	);
	const opened: Item = {
		...prepared,
		spec,
		run,
		itemIndex: input.index,
		host,
		workspace: workspaceOf(baseUrl, key, limits, credentialId),
		hasService,
		credential: { problem: noService, excludedScopes: excludedScopes(access) },
		memory,
		node,
		credits: executionCredits(call.executionMemory),
		lost: lost.poolOf(owner),
		inputFingerprint,
		origin: {
			item,
			owner,
			mode: workflowMode(call),
			timezone: call.timezone,
			// In the editor, and in a retry for which n8n kept no memory of the node.
			looksBack: ['manual', 'retry'].includes(mode) && node.startedIn === executionId,
		},
	};
	// Named by the error too if the run is halted before they are read again, or if they cannot be read.
	for (const [part, state] of statesOf(opened)) {
		if (!('job' in state)) continue;
		run.addJob(input.index, { id: state.job.id, status: 'from an earlier try' }, part);
	}
	return opened;
}

/** What an error says of an item, as far as it could be opened. */
function contextOf(
	{ isTool }: NodeCall,
	{ spec, labels }: Runnable,
	run: Run,
	{ input, item }: Pick<End, 'input' | 'item'>,
): ErrorContext {
	const states = item ? statesOf(item).map(([, state]) => state) : [];
	return {
		endpoint: spec.endpoint,
		object: spec.object,
		creates: spec.creates ?? false,
		charges: spec.charges ?? false,
		labels,
		isTool,
		itemIndex: input.index,
		items: run.total,
		...(item && {
			idempotency: item.settings.idempotency,
			mode: item.origin.mode,
			jobIds: states.flatMap((state) => ('job' in state ? [state.job.id] : [])),
			outcomeUnknown: states.some(isOutcomeOpen),
		}),
	};
}

/** Runs one item to its end. */
async function endOf(
	call: NodeCall,
	operation: Runnable,
	run: Run,
	remembered: Remembered,
	input: Input,
	ready: Result<Ready>,
): Promise<End> {
	if (!ready.ok) return { input, result: ready };
	const item = openItem(call, operation, run, remembered, input, ready.value);
	const { settings, origin } = item;
	try {
		const result = settings.isTool ? await answerInTime(item, runItem) : await runItem(item);
		// Whether a call of a tool has ended, the agent decides that was told so.
		if (!settings.isTool && !settings.dryRun)
			noteEnd(item, result.ok ? origin.owner.execution : undefined);
		return { input, item, result };
	} catch (error) {
		return { input, item, result: faultOf(error) };
	}
}

/** Runs all items; with Batching of Request Options they begin in portions. */
async function endsOf(
	call: NodeCall,
	operation: Runnable,
	run: Run,
	remembered: Remembered,
	checked: ReadonlyMap<number, Result<Ready>>,
): Promise<End[]> {
	const portion = portionsOf(call);
	const running: Array<Promise<End>> = [];
	for (const [position, input] of call.inputs.entries()) {
		if (position > 0 && position % portion.size === 0)
			await systemClock.sleep(portion.pauseMs, run.stopSignal(call.signal));
		const ready = checked.get(input.index);
		if (!ready) continue;
		// What of our own throws there must not take with it what other items have paid for.
		const ofFault = (error: unknown): End => ({ input, result: faultOf(error) });
		running.push(endOf(call, operation, run, remembered, input, ready).catch(ofFault));
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
	if (node.retryOnFail && index === 0 && context.idempotency === 'none')
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
	for (const { json, binary = {} } of rows) {
		const links = Object.values(binary).map((file) => call.linkTo(file));
		const known = links.filter((link) => link !== undefined);
		if (known.length > 0) json.files = known;
	}
	return rows;
}

/** An item that has ended, with its rows if it has any. */
interface Finished extends End {
	rows: INodeExecutionData[];
}

/** Makes the rows of an item; where that fails, so has the item, whatever it has made. */
function finish(call: NodeCall, operation: Runnable, run: Run, end: End): Finished {
	try {
		return { ...end, rows: rowsOf(call, operation, run, end) };
	} catch (error) {
		if (end.item) noteEnd(end.item, undefined);
		const failed = { ...end, result: faultOf(error) };
		return { ...failed, rows: rowsOf(call, operation, run, failed) };
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
	{ node, lost, owner }: Remembered,
	ends: End[],
	hasFailed: boolean,
): void {
	if (call.signal?.aborted) return;
	try {
		const items = ends.flatMap(({ item }) => (item ? memoriesOf(item) : []));
		// An agent is told what a call of a tool has failed to do, and has had the results of the others.
		lost.ended(node, items, owner, hasFailed && !call.isTool);
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
	const run = new Run(checked, call.continuesOnFail);
	const remembered = rememberedBy(call);
	const { lost, node, owner } = remembered;
	if (creates) lost.watch(call.signal, node, owner);
	let ends: Finished[] = [];
	let hasFailed = true;
	try {
		const [wrong] = run.invalid;
		const unfit = wrong === undefined ? undefined : checked.get(wrong);
		const input = call.inputs.find(({ index }) => index === wrong);
		if (input && unfit?.ok === false && !call.continuesOnFail)
			throw runError(call.node, unfit, contextOf(call, operation, run, { input }), run);
		const ended = await endsOf(call, operation, run, remembered, checked);
		ends = ended.map((end) => finish(call, operation, run, end));
		const { failed, end } = (call.continuesOnFail ? undefined : reported(ends)) ?? {};
		if (failed && end) throw runError(call.node, failed, contextOf(call, operation, run, end), run);
		hasFailed = false;
		await addReceipt(call, operation, run, ends);
	} finally {
		if (creates) noteEndOfRun(call, remembered, ends, hasFailed);
	}
	return ends.flatMap(({ rows }) => rows);
}
