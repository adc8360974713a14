import {
	NodeApiError,
	NodeHelpers,
	NodeOperationError,
	type DeclarativeRestApiSettings,
	type IExecutePaginationFunctions,
	type IHttpRequestOptions,
	type INodeExecutionData,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyRouting,
	type INodeTypeDescription,
	type PreSendAction,
} from 'n8n-workflow';
import { NODE, nodeContext, valueAt, type NodeRun } from './nodeContext';

type Pagination = (
	this: IExecutePaginationFunctions,
	data: DeclarativeRestApiSettings.ResultOptions,
) => Promise<INodeExecutionData[]>;

interface Gathered {
	options: IHttpRequestOptions;
	preSend: PreSendAction[];
	pagination?: Pagination;
}

/** The value of a parameter that an expression cannot give: n8n itself gives up on the item. */
export const BROKEN = Symbol('an expression that throws');

function put(
	target: Record<string, unknown>,
	[name = '', ...rest]: string[],
	value: unknown,
): void {
	if (rest.length === 0) target[name] = value;
	else put((target[name] ??= {}) as Record<string, unknown>, rest, value);
}

function take(gathered: Gathered, routing: INodePropertyRouting | undefined, value: unknown): void {
	const { send, operations } = routing ?? {};
	if (send?.preSend) gathered.preSend.push(...send.preSend);
	if (typeof operations?.pagination === 'function')
		gathered.pagination = operations.pagination as Pagination;
	if (!send?.property || !send.type) return;
	const place = send.type === 'body' ? gathered.options.body : gathered.options.qs;
	put(place as Record<string, unknown>, send.property.split('.'), value);
}

const plain = (value: unknown) =>
	typeof value === 'object' && value !== null && '__rl' in value
		? (value as unknown as { value: unknown }).value
		: value;

/** What n8n's routing engine gathers from one property, those of a collection included. */
function gather(
	into: Gathered,
	property: INodeProperties,
	parameters: INodeParameters,
	within = '',
): void {
	const value = valueAt(parameters, `${within}${property.name}`);
	if (value === undefined) return;
	if ((value as unknown) === BROKEN) throw new Error('The expression cannot be evaluated');
	take(into, property.routing, plain(value));
	if (property.type === 'options') {
		for (const option of property.options ?? []) {
			if ('value' in option && option.value === value) take(into, option.routing, value);
		}
	}
	if (property.type !== 'collection') return;
	for (const option of (property.options ?? []) as INodeProperties[]) {
		gather(into, option, parameters, `${within}${property.name}.`);
	}
}

/**
 * A run of a declarative node as n8n's routing engine does it (`routing-node.js` of n8n-core 2.41):
 * the requests of all items are built and their hooks begun in one go, then all are waited for;
 * without Continue On Fail the first failure in the order of the items is thrown, with its item set
 * on it, and all results are lost.
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
	// n8n adds what concerns all requests to every declarative node by itself.
	const common = (item: number) => {
		const { requestOptions } = given(item);
		return requestOptions === undefined ? {} : { requestOptions };
	};
	const parameters = (item: number) => ({ ...filled[item], ...common(item) });
	const withParameters: NodeRun = { ...run, parameters };
	const requests: Array<Promise<INodeExecutionData[]>> = [];
	for (const [item, parameters] of filled.entries()) {
		const context = nodeContext(withParameters, item) as IExecutePaginationFunctions;
		// Not an expression: the runner knows the address of the service.
		const baseURL = description.requestDefaults?.baseURL;
		const gathered: Gathered = {
			options: { url: '', baseURL, qs: {}, body: {}, headers: {} },
			preSend: [],
		};
		try {
			for (const property of description.properties) {
				const isShown =
					parameters[property.name] !== undefined &&
					NodeHelpers.displayParameter(parameters, property, NODE, description, parameters);
				if (isShown) gather(gathered, property, parameters);
			}
			requests.push(request(context, gathered));
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

async function request(
	context: IExecutePaginationFunctions,
	gathered: Gathered,
): Promise<INodeExecutionData[]> {
	let { options } = gathered;
	for (const hook of gathered.preSend) options = await hook.call(context, options);
	if (!gathered.pagination) throw new Error('The node has no runner');
	return await gathered.pagination.call(context, {
		options,
	} as DeclarativeRestApiSettings.ResultOptions);
}
