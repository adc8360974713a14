import type { IBinaryData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { nodeName, triggerName, workflowOf, type NodeRun } from './nodeWorkflow';
import type { Rest, Execution, ExecutionStatus } from './rest';

export type { InputFile, InputItem, NodeRun } from './nodeWorkflow';

/** An output item; its files are read on demand. */
export interface OutputItem {
	json: IDataObject;
	binary: Record<string, IBinaryData>;
	/** What Continue On Fail put beside the json. */
	error?: INodeExecutionData['error'];
	pairedItem?: INodeExecutionData['pairedItem'];
}

/** An error of a node or workflow, as n8n stores it. */
export interface StoredError extends IDataObject {
	message: string;
	description?: string;
}

export interface NodeRunResult {
	executionId: string;
	workflowId: string;
	status: ExecutionStatus;
	/** Items of the first output. */
	items: OutputItem[];
	/** Items of the error output (`continueErrorOutput`). */
	errorItems: OutputItem[];
	/** Why the execution failed. */
	error?: StoredError;
	execution: Execution;
}

/** Starts a node in a workflow of its own and gives the ids at once, to be stopped or watched. */
export async function startNode(
	rest: Rest,
	run: NodeRun,
): Promise<{ workflowId: string; executionId: string }> {
	const { id } = await rest.workflows.create(workflowOf(run));
	return { workflowId: id, executionId: await rest.workflows.run(id, triggerName) };
}

/** Runs a node in a workflow of its own until the execution has ended, well or badly. */
export async function runNode(rest: Rest, run: NodeRun): Promise<NodeRunResult> {
	const { executionId } = await startNode(rest, run);
	return resultOf(await rest.executions.wait(executionId, { timeoutMs: run.timeoutMs }));
}

/** What an execution made of the node, e.g. after it was stopped or retried. */
export function resultOf(execution: Execution): NodeRunResult {
	const { runData, error } = execution.data.resultData;
	const outputs = runData[nodeName]?.at(-1)?.data?.main ?? [];
	return {
		executionId: execution.id,
		workflowId: execution.workflowId,
		status: execution.status,
		items: (outputs[0] ?? []).map(outputItem),
		errorItems: (outputs[1] ?? []).map(outputItem),
		error: error as unknown as StoredError | undefined,
		execution,
	};
}

/**
 * Files are given apart from the json, also where n8n keeps them in it (`binaryMode: combined`).
 */
function outputItem({ json: whole, binary, error, pairedItem }: INodeExecutionData): OutputItem {
	const { _files: inJson, ...json } = whole;
	const files = { ...(inJson as Record<string, IBinaryData> | undefined), ...binary };
	return { json, binary: files, ...(error && { error }), pairedItem };
}
