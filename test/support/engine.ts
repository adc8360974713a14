import {
	NodeHelpers,
	type IExecuteFunctions,
	type IExecuteSingleFunctions,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type NodeExecutionHint,
} from 'n8n-workflow';
import { NODE, nodeContext, type NodeRun } from './nodeContext';

/** The value of a parameter that an expression cannot give. */
export const BROKEN = Symbol('an expression that throws');

/**
 * A run of a node as n8n does it. A workflow calls its custom operation, once for all items (`executeNode` in
 * `workflow-execute.js` of n8n-core). Where the arguments of a tool call are the input (`inputData`), and for
 * an operation that the node does not have, n8n's routing engine calls the `pagination` of the node for an
 * item.
 * @param given parameters of the node for each item; what is missing has its default
 */
export async function execute(
	{ description, customOperations }: Pick<INodeType, 'description' | 'customOperations'>,
	run: NodeRun,
	given: (item: number) => Record<string, unknown>,
): Promise<INodeExecutionData[]> {
	const filled = run.items.map(
		(_, item) =>
			NodeHelpers.getNodeParameters(
				description.properties,
				given(item) as INodeParameters,
				true,
				false,
				NODE,
				description,
			) ?? {},
	);
	const parameters = (item: number) => ({
		...filled[item],
		requestOptions: given(item).requestOptions,
	});
	const { resource, operation } = filled[0] ?? {};
	const chosen = customOperations?.[String(resource)]?.[String(operation)];
	if (!chosen || run.inputData) {
		const oneItem = description.requestOperations?.pagination as (
			this: IExecuteSingleFunctions,
		) => Promise<INodeExecutionData[]>;
		return await oneItem.call(nodeContext({ ...run, parameters }));
	}
	const context = executeContext({ ...run, parameters });
	const [rows] = (await chosen.call(context)) as INodeExecutionData[][];
	return rows ?? [];
}

/** The functions that n8n gives to a node for all of its items. */
export function executeContext(run: NodeRun): IExecuteFunctions {
	const items = run.items.map((_, item) => nodeContext(run, item));
	const [first] = items;
	const context = {
		...(first ?? nodeContext(run)),
		getInputData: () => run.items,
		addExecutionHints: (...hints: NodeExecutionHint[]) => run.hints?.push(...hints),
		getNodeParameter(name: string, item: number, fallback?: unknown, options?: object) {
			const value: unknown = items[item]?.getNodeParameter(name, fallback as never, options);
			if (value !== BROKEN) return value;
			if (options) return '={{ broken }}';
			throw new Error('it throws');
		},
		getCredentials: async (type: string, item = 0) => await items[item]?.getCredentials(type),
	};
	return context as unknown as IExecuteFunctions;
}
