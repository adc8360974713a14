import type { INodeExecutionData } from 'n8n-workflow';
import { systemClock } from '../base/clock';
import type { Failed, Result } from '../base/result';
import { functionsOf, type Input, type NodeCall } from '../n8n/call';
import { requestOptions } from '../n8n/requestOptions';
import { credentialIdOf } from '../service/credential';
import { n8nHost } from '../service/n8n';
import { workspaceOf } from '../service/workspace';
import { runOfRow } from './agent';
import { checkAll, type Ready, type Runnable } from './check';
import { becomesErrorItem, executionCredits } from './credits';
import type { ErrorContext } from './errorContext';
import { describeFailure, detailsOf, nodeError, runError } from './errors';
import { identify } from './identity';
import type { Item, Outcome, Settings, WorkflowMode } from './item';
import { openRequestsOf } from './openRequests';
import { errorOutputItem, errorRow, itemsOf } from './output';
import { Run } from './run';
import { runItem } from './runItem';
import { isOutcomeOpen, nodeMemory, statesOf } from './state';
import { answerInTime } from './toolAnswer';

/*
 * A run of the node, from top to bottom: all items are read and checked, nothing is sent if one is invalid, all are run,
 * and what has become of them are rows, or one error, and one sentence about it.
 */

/** What has become of an item. */
interface End {
	input: Input;
	result: Result<Outcome>;
	/** What an error says of it. */
	context: ErrorContext;
	/** Of an item that could be read. */
	settings?: Settings;
	/** Whether it is output although it has failed. */
	isRow: boolean;
}

function workflowMode({ mode }: NodeCall): WorkflowMode {
	if (mode === 'manual') return 'manual';
	return mode === 'integrated' ? 'nested' : 'production';
}

/** Puts together all that an item needs. */
function openItem(
	call: NodeCall,
	{ spec }: Runnable,
	run: Run,
	input: Input,
	{ access, hasService, sending, ...prepared }: Ready,
): Item {
	const { baseUrl, key, limits } = access;
	const { executionId, place, mode } = call;
	const node = nodeMemory(call.nodeMemory, executionId);
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
		workspace: workspaceOf(baseUrl, key, limits, credentialIdOf(call.node)),
		hasService,
		memory,
		node,
		credits: executionCredits(call.executionMemory),
		openRequests: openRequestsOf(place),
		inputFingerprint,
		origin: {
			item,
			node: place,
			executionId,
			mode: workflowMode(call),
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
function contextOf({ spec, labels }: Runnable, run: Run, index: number, item?: Item): ErrorContext {
	const states = item ? statesOf(item).map(([, state]) => state) : [];
	return {
		endpoint: spec.endpoint,
		object: spec.object,
		creates: spec.creates ?? false,
		charges: spec.charges ?? false,
		labels,
		itemIndex: index,
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
	input: Input,
	ready: Result<Ready>,
): Promise<End> {
	if (!ready.ok) {
		const context = contextOf(operation, run, input.index);
		return { input, result: ready, context, isRow: call.continuesOnFail };
	}
	const item = openItem(call, operation, run, input, ready.value);
	const { settings } = item;
	const result = settings.isTool ? await answerInTime(item, runItem) : await runItem(item);
	const context = contextOf(operation, run, input.index, item);
	const isRow = call.continuesOnFail || (!result.ok && becomesErrorItem(result, settings));
	return { input, result, context, settings, isRow };
}

/** Runs all items; with Batching of Request Options they begin in portions. */
async function endsOf(
	call: NodeCall,
	operation: Runnable,
	run: Run,
	checked: ReadonlyMap<number, Result<Ready>>,
): Promise<End[]> {
	const { batchSize = 1, batchInterval = 0 } =
		requestOptions(call, call.inputs[0]?.index ?? 0).batching?.batch ?? {};
	const portion = Math.max(1, batchSize);
	const running: Array<Promise<End>> = [];
	for (const [position, input] of call.inputs.entries()) {
		if (position > 0 && batchInterval > 0 && position % portion === 0)
			await systemClock.sleep(batchInterval, call.signal);
		const ready = checked.get(input.index);
		if (ready) running.push(endOf(call, operation, run, input, ready));
	}
	const settled = await Promise.allSettled(running);
	return settled.map((one) => {
		if (one.status === 'rejected') throw one.reason;
		return one.value;
	});
}

/** A failed row, in the shape that n8n needs for what is set under _On Error_. */
function failedRow({ node }: NodeCall, end: End, failed: Failed): INodeExecutionData {
	const { index, item } = end.input;
	const context = { ...end.context, isRow: true };
	// n8n runs the node again if the first item has an `error` in its json (Retry On Fail). Without keys that would be
	// paid for again.
	if (node.retryOnFail && index === 0 && context.idempotency === 'none')
		return { json: {}, error: nodeError(node, failed, context), pairedItem: { item: index } };
	const details = detailsOf(failed, context);
	if (node.onError === 'continueErrorOutput')
		return errorOutputItem(nodeError(node, failed, context), details, index);
	const { settings } = end;
	const ofSettings = settings?.includeInputFields ? settings.resultField : undefined;
	return errorRow(describeFailure(failed, context), details, {
		item: index,
		json: item.json,
		resultField: ofSettings ?? failed.resultField,
		resource: runOfRow(failed),
	});
}

/** The rows that an item becomes. */
function rowsOf(call: NodeCall, { spec }: Runnable, end: End, ready?: Ready): INodeExecutionData[] {
	const { input, result, settings } = end;
	if (!result.ok) return [failedRow(call, end, result)];
	if (!settings) return [];
	const { includeInputFields, isTool, resultField = '' } = settings;
	// An agent has written the input itself.
	const isWanted = includeInputFields && !isTool;
	const row = isWanted ? { json: input.item.json, resultField } : undefined;
	const request = spec.creates ? ready?.request : undefined;
	return itemsOf(result.value, settings, { item: input.index, row, request });
}

/** The failure that the run is told by: that of the first item which says something by itself. */
function reported(ends: End[]): { failed: Failed; context: ErrorContext } | undefined {
	const broken = ends.flatMap(({ result, isRow, context }) =>
		result.ok || isRow ? [] : [{ failed: result, context }],
	);
	return broken.find(({ failed }) => failed.failure.kind !== 'skipped') ?? broken[0];
}

/** Items whose result n8n is not given: they became a failed row, or an agent was told to ask again. */
const lostOf = (ends: End[]): Set<number> =>
	new Set(
		ends
			.filter(({ result }) => !result.ok || result.value.isUnfinished)
			.map(({ input }) => input.index),
	);

/**
 * Runs an operation for all items of its input.
 * @returns the rows of all items
 * @throws NodeApiError without Continue On Fail, once all items have ended
 */
export async function runOperation(
	call: NodeCall,
	operation: Runnable,
): Promise<INodeExecutionData[]> {
	const { spec } = operation;
	const checked = await checkAll(call, operation);
	const run = new Run(checked);
	const [wrong] = run.invalid;
	const unfit = wrong === undefined ? undefined : checked.get(wrong);
	if (wrong !== undefined && unfit?.ok === false && !call.continuesOnFail) {
		if (spec.creates) run.noteDeliveries(openRequestsOf(call.place), call, 'all');
		throw runError(call.node, unfit, contextOf(operation, run, wrong), run);
	}
	let ends: End[] = [];
	let failure: ReturnType<typeof reported>;
	let isDone = false;
	try {
		ends = await endsOf(call, operation, run, checked);
		failure = reported(ends);
		isDone = failure === undefined && call.signal?.aborted !== true;
	} finally {
		if (spec.creates)
			run.noteDeliveries(openRequestsOf(call.place), call, isDone ? lostOf(ends) : 'all');
	}
	if (failure) throw runError(call.node, failure.failed, failure.context, run);
	return ends.flatMap((end) => {
		const ready = checked.get(end.input.index);
		return rowsOf(call, operation, end, ready?.ok ? ready.value : undefined);
	});
}
