import type { IExecuteFunctions, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';
import type { Filters } from '../webhook/filter';

export interface Options extends Filters {
	fetchResource: boolean;
	downloadOutputs: boolean;
}

/** An array, or text with commas or line breaks between: expressions may give either. */
export function listOf(value: unknown): string[] {
	const given: unknown[] = Array.isArray(value) ? value : String(value ?? '').split(/[,\n]/);
	return given.map((entry) => String(entry ?? '').trim()).filter((entry) => entry !== '');
}

const flag = (value: unknown) => value === true || value === 'true';

/** A parameter of the node; an execution asks for those of an item, webhooks and looks have none. */
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

export function readOptions(context: IWebhookFunctions | IExecuteFunctions): Options {
	const given = parameterOf(context, 'options', {});
	const { fetchResource, downloadOutputs, modes, models, statuses, resourceIds } = (given ??
		{}) as Record<string, unknown>;
	return {
		fetchResource: flag(fetchResource),
		downloadOutputs: flag(downloadOutputs),
		modes: listOf(modes),
		models: listOf(models),
		statuses: listOf(statuses),
		resourceIds: listOf(resourceIds),
	};
}
