import type { IBinaryKeyData, IDataObject, INodeExecutionData, NodeApiError } from 'n8n-workflow';
import { textOf } from '../../contract';
import { isRecord, type ApiRequest, type Json } from '../base/types';
import { outputsIn } from '../jobs/jobState';
import type { Outcome } from './item';
import type { Settings } from './settings';

const hasUrl = (output: unknown): boolean =>
	isRecord(output) && typeof output.url === 'string' && output.url !== '';

/** The URL of the first file of a job. */
function firstUrl(job: IDataObject): unknown {
	const file = outputsIn(job).find(hasUrl);
	return isRecord(file) ? file.url : undefined;
}

/** The fields that a person needs first: id, status, and links to the media; credits follow. */
const FIRST = ['id', 'status', 'url', 'output', 'outputs', 'preview_url', 'sample_url'];

/** The fields that users look for come first; the rest follows in the order of the service. */
function inReadingOrder(json: IDataObject): IDataObject {
	const names = Object.keys(json);
	const first = FIRST.filter((name) => names.includes(name));
	const credits = names.filter((name) => /credit/i.test(name));
	const order = new Set([...first, ...credits, ...names]);
	return Object.fromEntries([...order].map((name) => [name, json[name]]));
}

/**
 * A resource as the json of an item, with the `url` of its first file. n8n takes a truthy `error`
 * at the top level of the first item for a failure and runs the node again, so the service's field
 * `error` becomes `failure`.
 */
export function jsonOf(resource: Json): IDataObject {
	const { error, ...rest } = resource;
	const json = (error === undefined ? rest : { ...rest, failure: error }) as IDataObject;
	const url = firstUrl(json);
	return inReadingOrder(
		url === undefined || 'url' in json ? json : ({ ...json, url } as IDataObject),
	);
}

/**
 * The fields of generated media that a model needs; fields about credits are kept as well, whatever
 * their name.
 */
const AGENT_FIELDS = [
	...['id', 'object', 'status', 'mode', 'model', 'url'],
	...['failure', 'errors', 'warning', 'next', 'part', 'parts'],
];

const MEDIA_OBJECTS = new Set<unknown>(['generation', 'speech_generation']);

/**
 * The json of an item for an AI agent, which pays for every word. Media are reduced to what they
 * are, their links, their cost and what to do next; other resources are passed on in full.
 */
export function condenseForAgent(json: Json): Json {
	if (!MEDIA_OBJECTS.has(json.object)) return json;
	const isKept = (name: string) => AGENT_FIELDS.includes(name) || /credit/i.test(name);
	const condensed: Json = Object.fromEntries(Object.entries(json).filter(([name]) => isKept(name)));
	const urls = outputsIn(json)
		.filter(isRecord)
		.map(({ url }) => url)
		.filter((url) => typeof url === 'string');
	return urls.length > 1 ? { ...condensed, urls } : condensed;
}

/** `data`, `data_1`, `data_2` …: the first file gets the name that the next node expects. */
const fieldName = (field: string, index: number) => (index === 0 ? field : `${field}_${index}`);

/**
 * What is specific to an item of Split Outputs: its one output, by its place, as ids may repeat.
 */
function outputOf(resource: Json, index: number): IDataObject {
	if (!Array.isArray(resource.outputs)) return {};
	const output = resource.outputs.filter(hasUrl)[index] as IDataObject | undefined;
	if (!output) return {};
	return 'url' in resource ? { output } : { url: output.url, output };
}

type ItemSettings = Pick<
	Settings,
	'splitOutputs' | 'outputBinaryField' | 'isTool' | 'includeInputFields'
>;

/** Where an output comes from. */
export interface Source {
	item: number;
	/** The json of the input item. */
	row?: IDataObject;
	/** What was asked for, where that was a creation. */
	request?: ApiRequest;
}

/**
 * The items that an input item becomes. Files stand on one item, or on one item each with Split
 * Outputs. What the service says wins over the prompt, and that over the fields of the input item.
 */
export function itemsOf(
	{ resources, files, warning, next, finished }: Outcome,
	{ splitOutputs, outputBinaryField, isTool, includeInputFields }: ItemSettings,
	{ item, row = {}, request }: Source,
): INodeExecutionData[] {
	const pairedItem = { item };
	const prompt = textOf(isRecord(request?.body) ? request.body.prompt : undefined);
	const extra: IDataObject = {};
	if (warning !== undefined) extra.warning = warning;
	if (next !== undefined) extra.next = next;
	if (finished !== undefined) extra.finished = finished;
	const read = (resource: Json): IDataObject => {
		const json = { ...jsonOf(resource), ...extra };
		if (isTool) return condenseForAgent(json) as IDataObject;
		const asked = prompt === undefined || 'prompt' in json ? json : { ...json, prompt };
		return includeInputFields ? { ...asked, ...row, ...asked } : asked;
	};
	if (files.length === 0) {
		return resources.map((resource) => ({ json: read(resource), pairedItem }));
	}
	// Of several parts, each has its own files.
	const countOf = (resource: Json) =>
		resources.length > 1 ? outputsIn(resource).filter(hasUrl).length : files.length;
	let taken = 0;
	return resources.flatMap((resource) => {
		const own = files.slice(taken, (taken += countOf(resource)));
		const json = read(resource);
		if (splitOutputs) {
			return own.map(({ data }, index) => ({
				json: { ...json, ...outputOf(resource, index) },
				binary: { [outputBinaryField]: data },
				pairedItem,
			}));
		}
		const binary: IBinaryKeyData = {};
		for (const [index, { data }] of own.entries())
			binary[fieldName(outputBinaryField, index)] = data;
		return [{ json, binary, pairedItem }];
	});
}

/** What an error says; a `NodeApiError` or only its words. */
type Words = Pick<NodeApiError, 'message'> & { description?: string | null };

/**
 * The input item with what went wrong, where Table view shows it first. n8n reduces an item with an
 * `error` next to its json to `{ error: message }`, so the error goes into the json.
 * @param row the json of the input item
 */
export function errorRow(
	{ message, description }: Words,
	details: IDataObject,
	item: number,
	row: IDataObject = {},
): INodeExecutionData {
	const first = { status: 'failed', error: message };
	const json = {
		...first,
		...row,
		...first,
		details: { ...details, description: description ?? '' },
	};
	return { json, pairedItem: { item } };
}

/**
 * The item of an error output. n8n 2.41 recognises it by its having no fields but `error` and
 * `details`, and adds those of the input item itself.
 */
export function errorOutputItem(
	error: NodeApiError,
	details: IDataObject,
	item: number,
): INodeExecutionData {
	const { message, description } = error;
	const json = { error: message, details: { ...details, description: description ?? '' } };
	// Older versions recognise it by the error next to the json. Not enumerable, so it is not copied
	// to the output.
	return Object.defineProperty({ json, pairedItem: { item } } as INodeExecutionData, 'error', {
		value: error,
		writable: true,
	});
}
