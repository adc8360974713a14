import type { IBinaryData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { nodeName, triggerName, workflowOf, type NodeRun } from './nodeWorkflow';
import type { Rest, Execution } from './rest';

export type { InputItem, NodeRun } from './nodeWorkflow';

export type NodeRunResult = ReturnType<typeof resultOf>;

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
export function resultOf(execution: Execution) {
	const { id: executionId, workflowId, status } = execution;
	const { runData, error } = execution.data.resultData;
	const outputs = runData[nodeName]?.at(-1)?.data?.main ?? [];
	return {
		executionId,
		workflowId,
		status,
		execution,
		items: (outputs[0] ?? []).map(outputItem),
		/** Those of `continueErrorOutput`. */
		errorItems: (outputs[1] ?? []).map(outputItem),
		/** Why the execution failed. */
		error: error as unknown as
			(IDataObject & { message: string; description?: string }) | undefined,
	};
}

/**
 * Files are given apart from the json, also where n8n keeps them in it (`binaryMode: combined`).
 */
function outputItem({ json: whole, binary, error, pairedItem }: INodeExecutionData) {
	const { _files, ...json } = whole;
	const files = { ...(_files as Record<string, IBinaryData> | undefined), ...binary };
	return { json, binary: files, ...(error && { error }), pairedItem };
}
