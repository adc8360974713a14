import { nameFromId } from '../base/texts';
import type {
	IAllExecuteFunctions,
	ILoadOptionsFunctions,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import { ENDPOINTS, GENERATION_MODES, type GenerationStatus, type Json } from '../api';
import { optionList } from '../fields/operation';
import { ABSENT, flag, names, type Rule } from '../fields/rules';
import { labelOf } from '../n8n/pickers/choices';
import { eachPage } from '../n8n/pickers/request';
import { isResource } from '../base/types';
import { operationError } from '../n8n/shownErrors';
import type { Filters } from './event';

/** What n8n says of the executions that a trigger starts. */
export const LISTED =
	"These executions show up in the <a data-key='executions'>executions list</a>, but not in the editor.";

export const downloadField: INodeProperties = {
	displayName: 'Download Outputs',
	name: 'downloadOutputs',
	type: 'boolean',
	default: true,
	description: 'Whether to download the files into the binary fields data, data_1 and so on',
};

export const modesField: INodeProperties = {
	displayName: 'Modes',
	name: 'modes',
	type: 'multiOptions',
	options: GENERATION_MODES.map((value) => ({ name: nameFromId(value), value })),
	default: [],
	description: 'Only images, videos or audio. Leave empty for all.',
};

export const modelsField: INodeProperties = {
	displayName: 'Model Names or IDs',
	name: 'models',
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getModels' },
	default: [],
	description:
		'Only outputs of these models. Leave empty for all models. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
};

/** The terminal statuses of a generation, in both triggers. */
export const statusOptions = optionList<Exclude<GenerationStatus, 'queued'>>({
	completed: { name: 'Completed' },
	failed: { name: 'Failed' },
	partially_completed: { name: 'Partially Completed' },
});

export async function getModels(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const options: INodePropertyOptions[] = [];
	for await (const entries of eachPage(this, ENDPOINTS.listModels))
		for (const model of entries.filter(isResource))
			options.push({ name: labelOf(model), value: model.id });
	return options;
}

/** A parameter of the node: executions read it per item; webhooks and polls have no items. */
export function parameterOf(
	context: IAllExecuteFunctions,
	name: string,
	fallback: unknown,
): unknown {
	const read = context.getNodeParameter as (name: string, ...more: unknown[]) => unknown;
	return 'getExecutionCancelSignal' in context
		? read.call(context, name, 0, fallback)
		: read.call(context, name, fallback);
}

export const optionsOf = (context: IAllExecuteFunctions): Json =>
	(parameterOf(context, 'options', {}) ?? {}) as Json;

/**
 * What the rule of a field says to a parameter of a trigger. An empty list is that of a new node:
 * it chooses nothing, and so lets all through.
 * @throws NodeOperationError for a value that cannot be used
 */
function ruled<T>(
	context: IAllExecuteFunctions,
	label: string,
	value: unknown,
	rule: Rule,
): T | undefined {
	const isUnset = value === undefined || (Array.isArray(value) && value.length === 0);
	const said = rule(isUnset ? ABSENT : value, { baseUrl: '', files: {} });
	if ('value' in said) return said.value as T | undefined;
	throw operationError(context.getNode(), `${label} ${said.problem}`, {
		description: said.hint,
	});
}

export const chosenNames = (
	context: IAllExecuteFunctions,
	label: string,
	value: unknown,
): string[] => ruled<string[]>(context, label, value, names()) ?? [];

/** @returns `undefined` where nothing was chosen */
export const switchOf = (
	context: IAllExecuteFunctions,
	label: string,
	value: unknown,
): boolean | undefined => ruled<boolean>(context, label, value, flag());

/** What the options leave through, whatever an expression gives: arrays, or texts with commas. */
export function filtersOf(context: IAllExecuteFunctions): Filters {
	const { modes, models, statuses, resourceIds } = optionsOf(context);
	return {
		modes: chosenNames(context, 'Modes', modes),
		models: chosenNames(context, 'Model Names or IDs', models),
		statuses: chosenNames(context, 'Statuses', statuses),
		resourceIds: chosenNames(context, 'Resource IDs', resourceIds),
	};
}
