import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

/**
 * Leaves out items that have started the workflow before. Decided once per execution, because Retry
 * On Fail runs the node again.
 * @param mode of executions that one event may start twice; all others are run on purpose
 */
export async function withoutRepeats(
	context: IExecuteFunctions,
	mode: string,
	findFirst: (items: INodeExecutionData[]) => Promise<boolean[]>,
): Promise<INodeExecutionData[]> {
	const items = context.getInputData();
	if (context.getMode() !== mode) return items;
	if (typeof context.helpers.checkProcessedAndRecord !== 'function') return items;
	const data = context.getContext('node');
	data.first ??= await findFirst(items);
	const isFirst = data.first as boolean[];
	return items.filter((_item, index) => isFirst[index] !== false);
}
