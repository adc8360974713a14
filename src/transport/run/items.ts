import type { IBinaryKeyData, IDataObject, INodeExecutionData, NodeApiError } from 'n8n-workflow';
import { outputsIn } from '../files/jobOutputs';
import { condenseForAgent } from './agentAnswer';
import type { Outcome } from './item';
import type { Settings } from './settings';
import { isRecord, type Json } from '../base/types';

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

type ItemSettings = Pick<Settings, 'splitOutputs' | 'outputBinaryField' | 'isTool'>;

/**
 * The items that an input item becomes. Files stand on one item, or on one item each with Split
 * Outputs.
 */
export function itemsOf(
	{ resources, files, warning, next, finished }: Outcome,
	{ splitOutputs, outputBinaryField, isTool }: ItemSettings,
	item: number,
): INodeExecutionData[] {
	const pairedItem = { item };
	const extra: IDataObject = {};
	if (warning !== undefined) extra.warning = warning;
	if (next !== undefined) extra.next = next;
	if (finished !== undefined) extra.finished = finished;
	const whole = (resource: Json) => ({ ...jsonOf(resource), ...extra });
	const read = (resource: Json) =>
		(isTool ? condenseForAgent(whole(resource)) : whole(resource)) as IDataObject;
	const [job] = resources;
	if (files.length === 0 || !job) {
		return resources.map((resource) => ({ json: read(resource), pairedItem }));
	}
	const json = read(job);
	if (splitOutputs) {
		return files.map(({ data }, index) => ({
			json: { ...json, ...outputOf(job, index) },
			binary: { [outputBinaryField]: data },
			pairedItem,
		}));
	}
	const binary: IBinaryKeyData = {};
	for (const [index, { data }] of files.entries())
		binary[fieldName(outputBinaryField, index)] = data;
	return [{ json, binary, pairedItem }];
}

/** What an error says; a `NodeApiError` or only its words. */
type Words = Pick<NodeApiError, 'message'> & { description?: string | null };

/**
 * The input item with what went wrong. n8n reduces an item with an `error` next to its json to
 * `{ error: message }`, so the error goes into the json.
 * @param row the json of the input item
 */
export function errorRow(
	{ message, description }: Words,
	details: IDataObject,
	item: number,
	row: IDataObject = {},
): INodeExecutionData {
	const errorFields = { error: message, details: { ...details, description: description ?? '' } };
	return { json: { ...row, ...errorFields }, pairedItem: { item } };
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
	const failed = errorRow(error, details, item);
	// Older versions recognise it by the error next to the json. Not enumerable, so it is not copied
	// to the output.
	return Object.defineProperty(failed, 'error', { value: error, writable: true });
}
