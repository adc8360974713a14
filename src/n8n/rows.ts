import type { Failed } from '../base/result';
import type {
	IBinaryData,
	IBinaryKeyData,
	IDataObject,
	INodeExecutionData,
	NodeApiError,
} from 'n8n-workflow';
import { textOf } from '../api';
import { isRecord, type ApiRequest, type Json } from '../base/types';
import { filesIn, isMedia } from '../transport/jobState';
import type { Item, Outcome, Settings } from '../creation/item';
import { columnsOf, fieldsOf } from '../fields/meanings';

const isAboutCredits = (name: string) => /credit/i.test(name);

/** The fields that a person needs first: id, status, and links to the media; credits follow. */
const FIRST = ['id', 'status', 'url', 'output', 'outputs', 'preview_url', 'sample_url'];

/** The fields that users look for come first; the rest follows in the order of the service. */
function inReadingOrder(json: IDataObject): IDataObject {
	const names = Object.keys(json);
	const first = FIRST.filter((name) => names.includes(name));
	const order = new Set([...first, ...names.filter(isAboutCredits), ...names]);
	return Object.fromEntries([...order].map((name) => [name, json[name]]));
}

/**
 * A resource as the json of an item, with the `url` of its first file. The service's field `error` becomes
 * `failure`.
 */
export function jsonOf(resource: Json): IDataObject {
	const json = fieldsOf(resource) as IDataObject;
	const [file] = filesIn(json);
	if (file && !('url' in json)) json.url = file.url as string;
	return inReadingOrder(json);
}

/** What a model needs of a job, beside the fields about credits … */
const JOB_FIELDS = ['id', 'object', 'status', 'mode', 'model', 'url'];
/** … of what became of it … */
const OUTCOME_FIELDS = ['failure', 'errors', 'warning', 'next', 'part', 'parts'];
/** … and of a dry run. */
const DRY_RUN_FIELDS = ['dryRun', 'summary', 'request'];
const AGENT_FIELDS = new Set([...JOB_FIELDS, ...OUTCOME_FIELDS, ...DRY_RUN_FIELDS]);

/**
 * The json of an item for an AI agent, which pays for every word. Media are reduced to what they
 * are, their links, their cost and what to do next; other resources are passed on in full.
 */
function condenseForAgent(json: Json): Json {
	if (!isMedia(json)) return json;
	const isKept = (name: string) => AGENT_FIELDS.has(name) || isAboutCredits(name);
	const condensed: Json = Object.fromEntries(Object.entries(json).filter(([name]) => isKept(name)));
	const urls = filesIn(json).map(({ url }) => url);
	return urls.length > 1 ? { ...condensed, urls } : condensed;
}

/** The outputs of a job that may have several, as far as they have a link. */
const outputsOf = (resource: Json): Json[] =>
	Array.isArray(resource.outputs) ? filesIn(resource) : [];

/** What is specific to an item of Split Outputs: its one output, by its place, as ids may repeat. */
function outputOf(resource: Json, index: number): IDataObject {
	const output = outputsOf(resource)[index] as IDataObject | undefined;
	if (!output) return {};
	return 'url' in resource ? { output } : { url: output.url, output };
}

/** `data`, `data_1`, `data_2` …: the first file gets the name that the next node expects. */
export const inFields = (files: IBinaryData[], field: string): IBinaryKeyData =>
	Object.fromEntries(files.map((file, index) => [index === 0 ? field : `${field}_${index}`, file]));

/**
 * A response without signing secrets. The specification does not show the name of the field (Other
 * response bodies), so every field with `secret` in its name is removed, at any depth.
 */
const withoutSigningSecret = (record: Json): Json =>
	JSON.parse(JSON.stringify(record), (name, value: unknown) =>
		/secret/i.test(name) ? undefined : value,
	) as Json;

/** A resource as it is output: simplified if wanted, without secrets unless the user asked for them. */
export function forOutput({ spec, settings }: Item, resource: Json): Json {
	const hides = spec.holdsSecret && !settings.includeSecret;
	const open = hides ? withoutSigningSecret(resource) : resource;
	return settings.simplify && spec.simplify ? spec.simplify(open) : open;
}

type ItemSettings = Pick<Settings, 'splitOutputs' | 'outputBinaryField' | 'isTool'>;

/** The input item that a result is added to. */
export interface Row {
	json: IDataObject;
	/** The field that gets the result. */
	resultField: string;
}

/**
 * The input item with the result in one field, whose name no other column gets; a column `error` comes back
 * as `input_error`.
 */
function inRow({ json, resultField }: Row, result: IDataObject): IDataObject {
	const columns = columnsOf({ ...json, [resultField]: undefined }) as IDataObject;
	return { ...columns, [resultField]: result };
}

/** Where an output comes from. */
interface Source {
	item: number;
	/** With Include Input Fields. */
	row?: Row;
	/** What was asked for, where that was a creation. */
	request?: ApiRequest;
}

/**
 * The items that an input item becomes. Files stand on one item, or on one item each with Split
 * Outputs, which gives an item for each link where nothing is downloaded. What the service says wins over
 * the prompt.
 */
export function itemsOf(
	{ resources, files = [], warning, next, finished }: Outcome,
	{ splitOutputs, outputBinaryField, isTool }: ItemSettings,
	{ item, row, request }: Source,
): INodeExecutionData[] {
	const pairedItem = { item };
	const prompt = textOf(isRecord(request?.body) ? request.body.prompt : undefined);
	const read = (resource: Json): IDataObject => {
		const json = jsonOf(resource);
		if (warning !== undefined) json.warning = warning;
		if (next !== undefined) json.next = next;
		if (finished !== undefined) json.finished = finished;
		if (isTool) return condenseForAgent(json) as IDataObject;
		return prompt === undefined || 'prompt' in json ? json : { ...json, prompt };
	};
	const placed = (result: IDataObject): IDataObject => (row ? inRow(row, result) : result);
	return resources.flatMap((resource, place) => {
		const own = files[place] ?? [];
		const json = read(resource);
		const whole = { json: placed(json), pairedItem };
		if (!splitOutputs)
			return [own.length === 0 ? whole : { ...whole, binary: inFields(own, outputBinaryField) }];
		const outputs = outputsOf(resource);
		const isToBeSplit = own.length > 0 || (outputs.length > 0 && !isTool);
		if (!isToBeSplit) return [whole];
		return (own.length > 0 ? own : outputs).map((_, index) => {
			const file = own[index];
			const part = { json: placed({ ...json, ...outputOf(resource, index) }), pairedItem };
			return file ? { ...part, binary: { [outputBinaryField]: file } } : part;
		});
	});
}

/** What an error says; a `NodeApiError` or only its words. */
type Words = Pick<NodeApiError, 'message'> & { description?: string | null };

/** Where a failed row comes from. */
interface FailedSource {
	item: number;
	/** The json of the input item. */
	json?: IDataObject;
	/** With Include Input Fields: the field that gets what went wrong. */
	resultField?: string;
	/** What there is to go on with. */
	resource?: IDataObject;
}

/**
 * The input item with what went wrong, where Table view shows it first. n8n reduces an item with an
 * `error` next to its json to `{ error: message }`, so the error goes into the json.
 */
export function errorRow(
	{ message, description }: Words,
	details: IDataObject,
	{ item, json = {}, resultField, resource = {} }: FailedSource,
): INodeExecutionData {
	const pairedItem = { item };
	const described = { ...details, description: description ?? '' };
	const failed: IDataObject = { ...resource, status: 'failed', error: message, details: described };
	if (resultField !== undefined) {
		// As on a good row, and `error` besides: n8n's own name for what has failed.
		return { json: { ...inRow({ json, resultField }, failed), error: message }, pairedItem };
	}
	const first = { status: 'failed', error: message };
	// Its own `error` is that of this node.
	const columns = columnsOf({ ...json, error: undefined }) as IDataObject;
	return { json: { ...first, ...columns, ...failed }, pairedItem };
}

/** A failed call of a tool: what a model needs to know, and nothing of what it has said itself. */
export function toolRow(
	{ message, description }: Words,
	{ jobId, credits }: IDataObject,
	item: number,
): INodeExecutionData {
	const json: IDataObject = { status: 'failed', error: message };
	if (jobId !== undefined) json.id = jobId;
	if (credits !== undefined) json.credits = credits;
	if (description) json.next = description;
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
	const row: INodeExecutionData = { json, pairedItem: { item } };
	return Object.defineProperty(row, 'error', { value: error, writable: true });
}

/** What a failed row tells of a run that waits for approval, so that the next node can approve it. */
export const runOfRow = ({ failure, job }: Failed): IDataObject | undefined =>
	failure.kind === 'notApproved' && job ? jsonOf(job) : undefined;
