import type { IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';

/** n8n gives this to every node that it runs, but types it only for programmatic ones. */
interface Parkable {
	putExecutionToWait(until: Date): Promise<void>;
}

/**
 * Has n8n put the execution into its database once this run of the node has ended. When it resumes,
 * the node is not run again: its input becomes its output. So the items are stored there; the list
 * is a new one, because the node before has the old one as its output.
 */
export async function parkExecution(
	context: IExecuteSingleFunctions,
	until: Date,
	items: INodeExecutionData[],
): Promise<void> {
	context.getExecuteData().data.main = [items];
	await (context as unknown as Parkable).putExecutionToWait(until);
}
