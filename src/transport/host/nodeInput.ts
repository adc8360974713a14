import type {
	IExecuteSingleFunctions,
	INodeExecutionData,
	ITaskDataConnections,
} from 'n8n-workflow';

/**
 * The input of this run of the node, which n8n's routing engine iterates over. As a tool of an
 * agent up to version 2, `getExecuteData()` is the agent's and says nothing about the node; the
 * context's own `inputData` is right everywhere.
 */
export function nodeInput(context: IExecuteSingleFunctions): ITaskDataConnections {
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

/** By the input of a run: n8n copies the whole node for each question about it. */
const tools = new WeakMap<ITaskDataConnections, boolean>();

/** Whether n8n runs the node as a tool of an AI agent, of whatever version. */
export function isTool(context: IExecuteSingleFunctions): boolean {
	const run = nodeInput(context);
	const known = tools.get(run) ?? context.getNode().type.endsWith('Tool');
	tools.set(run, known);
	return known;
}
