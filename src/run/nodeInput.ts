import type {
	IBinaryData,
	IExecuteSingleFunctions,
	INodeExecutionData,
	ITaskDataConnections,
} from 'n8n-workflow';
import { isRecord } from '../base/types';
import type { HostContext } from '../service/host';
import { Run } from './run';

/**
 * The input of this run of the node, which n8n's routing engine iterates over. As a tool of an
 * agent up to version 2, `getExecuteData()` is the agent's and says nothing about the node; the
 * context's own `inputData` is right everywhere.
 */
function nodeInput(context: IExecuteSingleFunctions): ITaskDataConnections {
	const { inputData } = context as { inputData?: ITaskDataConnections };
	return inputData ?? context.getExecuteData().data;
}

/** The items of this run, in the order in which n8n numbers them. */
export function inputItems(context: IExecuteSingleFunctions): INodeExecutionData[] {
	const { main, ai_tool: tool } = nodeInput(context);
	return (main ?? tool)?.[0] ?? [];
}

/**
 * The arguments of the tool call that n8n runs the node for from within another node (agents up to
 * version 2, and nodes that message a model). `undefined` everywhere else: from version 3 on, an
 * agent has n8n run a tool as a node of its own.
 */
export function toolArguments(
	context: IExecuteSingleFunctions,
): INodeExecutionData['json'] | undefined {
	const { main, ai_tool: tool } = nodeInput(context);
	return main ? undefined : tool?.[0]?.[context.getItemIndex()]?.json;
}

/** Whether n8n runs the node as a tool of an AI agent, of whatever version. */
export const isTool = (context: IExecuteSingleFunctions): boolean =>
	context.getNode().type.endsWith('Tool');

/** Where files stand within the json of an item in workflows with `binaryMode: combined` (Execution Logic v2). */
const FILES_KEY = '_files';

const isFile = (value: unknown): value is IBinaryData =>
	isRecord(value) && 'mimeType' in value && ('data' in value || 'id' in value);

/** Elsewhere the json is untrusted input, and a file id in it may belong to anybody. */
function isCombined(context: IExecuteSingleFunctions): boolean {
	// Older versions of n8n have neither the mode nor this function.
	const { getWorkflowSettings } = context as Partial<IExecuteSingleFunctions>;
	return getWorkflowSettings?.call(context).binaryMode === 'combined';
}

/** The files of an item by the name of their field, wherever n8n keeps them. */
export function itemFiles(context: IExecuteSingleFunctions): Record<string, IBinaryData> {
	const { json, binary = {} } = context.getInputData();
	const filesInJson: unknown = isCombined(context) ? json[FILES_KEY] : undefined;
	if (!isRecord(filesInJson)) return binary;
	const files = Object.entries(filesInJson).filter(([, value]) => isFile(value));
	return { ...(Object.fromEntries(files) as Record<string, IBinaryData>), ...binary };
}

/** The name of a field as the user means it: `_files.data`, as n8n's own nodes ask for it there, is `data`. */
export const fieldName = (name: string): string =>
	name.startsWith(`${FILES_KEY}.`) ? name.slice(FILES_KEY.length + 1) : name;

/** Whether there is nothing in it for n8n to evaluate. */
function needsNoEvaluation(raw: unknown): boolean {
	if (typeof raw === 'string') return !raw.startsWith('=');
	return typeof raw !== 'object' || raw === null || Object.values(raw).every(needsNoEvaluation);
}

/**
 * A parameter of the node. n8n gets ready to evaluate each one that it is asked for, which takes
 * longer than the answer where nothing is to be evaluated: so most of them are read as they are
 * stored.
 */
export function readParameter(
	context: IExecuteSingleFunctions,
	name: string,
	fallback: unknown,
): unknown {
	const raw: unknown = context.getNodeParameter(name, fallback, { rawExpressions: true });
	return needsNoEvaluation(raw) ? raw : context.getNodeParameter(name, fallback);
}

/** The functions that n8n gives to a node for one item of an execution. */
export function itemContext(context: IExecuteSingleFunctions): HostContext {
	return {
		functions: context,
		files: () => itemFiles(context),
		signal: context.getExecutionCancelSignal(),
		fairnessKey: context.getExecutionId() ?? 'manual',
		timeoutMs: Number(readParameter(context, 'requestOptions.timeout', 0)),
	};
}

const runs = new WeakMap<object, Run>();

/** The run that an item belongs to, identified by the object that holds its input. */
export function joinRun(context: IExecuteSingleFunctions, item: number): Run {
	const input = nodeInput(context);
	const known = runs.get(input);
	if (known?.accepts(item)) return known;
	const items = inputItems(context);
	const interval = readParameter(context, 'requestOptions.batching.batch.batchInterval', 0);
	// With Execute Once n8n takes only the first item.
	const total = context.getNode().executeOnce ? Math.min(1, items.length) : items.length;
	const run = new Run(total, Number(interval) > 0, context.continueOnFail());
	runs.set(input, run);
	return run;
}

export const currentRun = (context: IExecuteSingleFunctions): Run | undefined =>
	runs.get(nodeInput(context));
