import {
	NodeApiError,
	NodeHelpers,
	NodeOperationError,
	type DeclarativeRestApiSettings,
	type IExecutePaginationFunctions,
	type IHttpRequestOptions,
	type INodeExecutionData,
	type INodeParameters,
	type INodePropertyRouting,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { NODE, nodeContext, type NodeRun } from './nodeContext';

type Pagination = (
	this: IExecutePaginationFunctions,
	data: DeclarativeRestApiSettings.ResultOptions,
) => Promise<INodeExecutionData[]>;

/** The value of a parameter that an expression cannot give: n8n itself gives up on the item. */
export const BROKEN = Symbol('an expression that throws');

/** The routing of the operation that was chosen, or of what is shown where there is no such operation. */
function routingOf(
	description: INodeTypeDescription,
	parameters: INodeParameters,
): INodePropertyRouting {
	// n8n evaluates all that is shown.
	if (Object.values<unknown>(parameters).includes(BROKEN))
		throw new Error('The expression cannot be evaluated');
	for (const property of description.properties) {
		if (!NodeHelpers.displayParameter(parameters, property, NODE, description, parameters))
			continue;
		if (property.routing) return property.routing;
		for (const option of property.options ?? []) {
			const isChosen = 'value' in option && option.value === parameters[property.name];
			if (isChosen && option.routing) return option.routing;
		}
	}
	throw new Error('The node has no such operation');
}

async function request(
	context: IExecutePaginationFunctions,
	{ request: own, send, operations }: INodePropertyRouting,
	defaults?: INodeTypeDescription['requestDefaults'],
): Promise<INodeExecutionData[]> {
	// The base URL stays an expression: the runner knows the address of the service.
	const given = { ...defaults, qs: {}, body: {}, headers: {}, ...own };
	let options = given as IHttpRequestOptions;
	for (const hook of send?.preSend ?? []) options = await hook.call(context, options);
	const run = operations?.pagination as Pagination;
	return await run.call(context, { options } as DeclarativeRestApiSettings.ResultOptions);
}

/**
 * A run of a declarative node as n8n's routing engine does it (`routing-node.js` of n8n-core 2.41):
 * the requests of all items are built and their hooks begun in one go, then all are waited for;
 * without Continue On Fail the first failure in the order of the items is thrown, with its item set
 * on it, and all results are lost. With its batching option an item begins when the one before has ended.
 * @param given parameters of the node for each item; what is missing has its default
 */
export async function execute(
	description: INodeTypeDescription,
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
	// n8n adds these options to every declarative node.
	const optionsOf = (item: number) =>
		given(item).requestOptions as { batching?: object } | undefined;
	const parameters = (item: number) => ({ ...filled[item], requestOptions: optionsOf(item) });
	const withParameters: NodeRun = { ...run, parameters };
	const requests: Array<Promise<INodeExecutionData[]>> = [];
	for (const [item, own] of filled.entries()) {
		if (optionsOf(item)?.batching) await Promise.allSettled(requests);
		const context = nodeContext(withParameters, item) as IExecutePaginationFunctions;
		try {
			const routing = routingOf(description, own);
			requests.push(request(context, routing, description.requestDefaults));
		} catch (error) {
			const thrown = new NodeOperationError(NODE, error as Error, { itemIndex: item });
			if (!run.continueOnFail) throw thrown;
			requests.push(Promise.resolve([{ json: {}, error: thrown }]));
		}
	}
	const settled = await Promise.allSettled(requests);
	return settled.flatMap((result, itemIndex) => {
		if (result.status === 'fulfilled') return result.value;
		const error = result.reason as Error;
		if (run.continueOnFail) return [{ json: {}, error: error as NodeApiError }];
		if (!(error instanceof NodeApiError)) {
			const { message, description: hint } = error as NodeOperationError;
			throw new NodeApiError(NODE, error as never, {
				itemIndex,
				message,
				description: hint ?? undefined,
			});
		}
		error.context.itemIndex = itemIndex;
		throw error;
	});
}
