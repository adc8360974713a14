import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';
import type { Filters } from '../../src/webhook/filter';

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

export function readOptions(context: IWebhookFunctions | IExecuteFunctions): Options {
	const read = context.getNodeParameter as (name: string, ...more: unknown[]) => unknown;
	const given =
		'getExecutionCancelSignal' in context
			? read.call(context, 'options', 0, {})
			: read.call(context, 'options', {});
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
