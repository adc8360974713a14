import type {
	IExecuteFunctions,
	IExecutePaginationFunctions,
	INodeExecutionData,
	INodeType,
} from 'n8n-workflow';
import { quoted } from '../base/texts';
import { callOf, callOfOne } from './call';
import type { Runnable } from './check';
import { operationError } from './shownErrors';
import { runOperation } from './runOperation';
import { runnable } from './prepare';
import type { NodeResource } from './properties';

/*
 * The two doors by which n8n comes in. A workflow runs a node as a whole, by `customOperations`. Whoever runs
 * it as a tool from within another node (agents up to version 2, sub-agents, MCP in queue mode, n8n's own
 * Agents) knows only n8n's routing engine, which asks for one item at a time, by the `pagination` of the
 * node. Both lead to `runOperation`.
 */

type CustomOperations = NonNullable<INodeType['customOperations']>;

/** The operations of a node, for n8n's `customOperations`. */
export function customOperations(resources: NodeResource[]): CustomOperations {
	const all = resources.flatMap(({ operations }) => operations);
	const runs: CustomOperations = {};
	for (const { value: resource, operations } of resources) {
		const ofResource: CustomOperations[string] = {};
		for (const operation of operations) {
			const known = runnable(operation, all);
			const run = async function (this: IExecuteFunctions) {
				return [await runOperation(callOf(this), known)];
			};
			ofResource[operation.value] = run;
		}
		runs[resource] = ofResource;
	}
	return runs;
}

/** The one of these that is chosen; n8n asks for one that does not exist too. */
function chosen<T extends { value: string }>(
	context: IExecutePaginationFunctions,
	what: string,
	all: T[],
): T {
	const given: unknown = context.getNodeParameter(what, '');
	const found = all.find(({ value }) => value === given);
	if (found) return found;
	const names = all.map(({ value }) => value).join(', ');
	throw operationError(
		context.getNode(),
		`This node has no ${what} ${quoted(given)}; it has ${names}`,
		{
			itemIndex: context.getItemIndex(),
			description: `Choose the ${what} in the node again. Nothing was sent.`,
		},
	);
}

/** A run of one item, for n8n's routing engine. */
export function oneItem(resources: NodeResource[]) {
	const all = resources.flatMap(({ operations }) => operations);
	const runnables = new Map<object, Runnable>();
	return async function (this: IExecutePaginationFunctions): Promise<INodeExecutionData[]> {
		const { operations } = chosen(this, 'resource', resources);
		const operation = chosen(this, 'operation', operations);
		const known = runnables.get(operation) ?? runnable(operation, all);
		runnables.set(operation, known);
		return await runOperation(callOfOne(this), known);
	};
}
