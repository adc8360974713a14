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
import { operationError } from '../n8n/output/errors';
import { objectOf, type MediaGenEvent } from './event';

/*
 * The options that both triggers have, and which events they let through.
 */

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

/** A parameter of the node. Only in an execution n8n wants to know for which item it is read. */
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
 * Reads a parameter by the rule of its field. An empty list is that of a new node: it chooses nothing, and so
 * lets all through.
 * @throws NodeOperationError for a value that cannot be used
 */
function ruled<T>(
	context: IAllExecuteFunctions,
	label: string,
	value: unknown,
	rule: Rule,
): T | undefined {
	const isUnset = value === undefined || (Array.isArray(value) && value.length === 0);
	const ruling = rule(isUnset ? ABSENT : value, { baseUrl: '', files: {} });
	if ('value' in ruling) return ruling.value as T | undefined;
	throw operationError(context.getNode(), `${label} ${ruling.problem}`, {
		description: ruling.hint,
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

/** The filters that are set in the options. An expression may give arrays, or texts with commas. */
export function filtersOf(context: IAllExecuteFunctions): Filters {
	const { modes, models, statuses, resourceIds } = optionsOf(context);
	return {
		modes: chosenNames(context, 'Modes', modes),
		models: chosenNames(context, 'Model Names or IDs', models),
		statuses: chosenNames(context, 'Statuses', statuses),
		resourceIds: chosenNames(context, 'Resource IDs', resourceIds),
	};
}

/** Which events a user wants; an empty list means all of them. */
export interface Filters {
	modes: readonly string[];
	models: readonly string[];
	statuses: readonly string[];
	resourceIds: readonly string[];
}

/** Whether an event is wanted; `unknown` if the resource must be read to decide. */
export type Verdict = 'wanted' | 'unwanted' | 'unknown';

const MADE_BY_MODEL = ['generation', 'speech_generation', ''];
const WITH_STATUS = [...MADE_BY_MODEL, 'agent_run', 'persona'];

function compare(wanted: readonly string[], value: unknown): Verdict {
	if (wanted.length === 0) return 'wanted';
	if (value === undefined || value === null) return 'unknown';
	return wanted.some((each) => each === value) ? 'wanted' : 'unwanted';
}

/**
 * Whether the user wants this event. A filter decides only about resources that have its field, and lets all
 * others pass: generations and speech generations have a mode (speech: audio) and a model, all but voices
 * have a status.
 */
export function verdictOf(event: MediaGenEvent, filters: Filters): Verdict {
	const object = objectOf(event);
	const { mode, model, status }: Json = event.resource ?? {};
	const verdicts = [compare(filters.resourceIds, event.resourceId ?? '')];
	if (MADE_BY_MODEL.includes(object)) {
		verdicts.push(compare(filters.modes, object === 'speech_generation' ? 'audio' : mode));
		verdicts.push(compare(filters.models, model));
	}
	if (WITH_STATUS.includes(object)) verdicts.push(compare(filters.statuses, status));
	if (verdicts.includes('unwanted')) return 'unwanted';
	return verdicts.includes('unknown') ? 'unknown' : 'wanted';
}
