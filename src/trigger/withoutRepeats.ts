import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

/**
 * Leaves out items that have started the workflow before. Asked once for an execution: Retry On Fail runs the node again.
 * @param mode of the executions that something may start twice; others are run on purpose
 */
export async function withoutRepeats(
	context: IExecuteFunctions,
	mode: string,
	areFirst: (items: INodeExecutionData[]) => Promise<boolean[]>,
): Promise<INodeExecutionData[]> {
	const items = context.getInputData();
	if (context.getMode() !== mode) return items;
	if (typeof context.helpers.checkProcessedAndRecord !== 'function') return items;
	const memory = context.getContext('node');
	memory.first ??= await areFirst(items);
	const first = memory.first as boolean[];
	return items.filter((_item, index) => first[index] !== false);
}
