import type { IExecuteFunctions, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';
import { flagOf, listOf } from '../transport/base/values';
import type { Filters } from '../webhook/filter';

/** The options of the event trigger; an empty filter lets everything pass. */
export interface Options extends Filters {
	fetchResource: boolean;
	downloadOutputs: boolean;
}

/**
 * A parameter of the node. Executions read parameters per item; webhooks and polls have no items.
 */
export function parameterOf(
	context: IWebhookFunctions | IExecuteFunctions | IPollFunctions,
	name: string,
	fallback: unknown,
): unknown {
	const read = context.getNodeParameter as (name: string, ...more: unknown[]) => unknown;
	return 'getExecutionCancelSignal' in context
		? read.call(context, name, 0, fallback)
		: read.call(context, name, fallback);
}

/** Reads them whatever an expression gives: lists as arrays or as texts with commas. */
export function readOptions(context: IWebhookFunctions | IExecuteFunctions): Options {
	const options = (parameterOf(context, 'options', {}) ?? {}) as Record<string, unknown>;
	const { fetchResource, downloadOutputs, modes, models, statuses, resourceIds } = options;
	return {
		fetchResource: flagOf(fetchResource) ?? false,
		downloadOutputs: flagOf(downloadOutputs) ?? false,
		modes: listOf(modes),
		models: listOf(models),
		statuses: listOf(statuses),
		resourceIds: listOf(resourceIds),
	};
}
