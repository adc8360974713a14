import type { IBinaryData, IBinaryKeyData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { SIGNING_SECRET, textOf } from '../../api';
import type { Input, NodeCall } from '../nodeCall';
import { isRecord, type ApiRequest, type Json } from '../../base/types';
import { filesIn, isMedia } from '../../transport/jobState';
import type { Item, ItemOutput, Settings } from '../../creation/item';
import { columnsOf, fieldsOf } from '../../fields/reservedNames';

/*
 * The rows of an item that has ended well: what n8n gets of each resource, and on which row its files stand.
 */

/** The rows that an item becomes which has ended well. */
export function goodRows(
	{ linkTo }: Pick<NodeCall, 'linkTo'>,
	{ index, json: inputJson }: Pick<Input, 'index' | 'json'>,
	item: Pick<Item, 'spec' | 'settings' | 'request'>,
	itemOutput: ItemOutput,
): INodeExecutionData[] {
	const { spec, settings, request } = item;
	const { includeInputFields, isTool, resultField = '' } = settings;
	// The input of a tool is what the agent has written itself.
	const isWanted = includeInputFields && !isTool;
	const rows = rowsOfItem(
		{ ...itemOutput, resources: itemOutput.resources.map((resource) => forOutput(item, resource)) },
		settings,
		{
			itemIndex: index,
			inputFields: isWanted ? { json: inputJson, resultField } : undefined,
			request: spec.creates ? request : undefined,
		},
	);
	if (!linkTo) return rows;
	for (const { json, binary = {} } of rows) {
		const links = Object.values(binary)
			.map(linkTo)
			.filter((link) => link !== undefined);
		if (links.length > 0) json.files = links;
	}
	return rows;
}

const isAboutCredits = (name: string) => /credit/i.test(name);

/**
 * The fields that a person looks for first: id, status, and links to the media. Fields about credits follow.
 */
const FIRST = ['id', 'status', 'url', 'output', 'outputs', 'preview_url', 'sample_url'];

/** The same with those fields in front. The rest keeps the order of the service. */
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

/** What an agent needs to know of a job, beside the fields about credits … */
const JOB_FIELDS = ['id', 'object', 'status', 'mode', 'model', 'url'];
/** … of how it ended … */
const END_FIELDS = ['failure', 'errors', 'warning', 'next', 'part', 'parts'];
/** … and of a dry run. */
const DRY_RUN_FIELDS = ['dryRun', 'summary', 'request'];
const AGENT_FIELDS = new Set([...JOB_FIELDS, ...END_FIELDS, ...DRY_RUN_FIELDS]);

/**
 * The json of an item for an AI agent, which pays for every word. A job with media is reduced to what it is,
 * its links, its cost and what to do next. Other resources are passed on in full.
 */
function condenseForAgent(json: Json): Json {
	if (!isMedia(json)) return json;
	const isKept = (name: string) => AGENT_FIELDS.has(name) || isAboutCredits(name);
	const condensed: Json = Object.fromEntries(Object.entries(json).filter(([name]) => isKept(name)));
	const urls = filesIn(json).map(({ url }) => url);
	return urls.length > 1 ? { ...condensed, urls } : condensed;
}

/** The outputs of a job that have a link. */
const outputsWithLink = (resource: Json): Json[] =>
	Array.isArray(resource.outputs) ? filesIn(resource) : [];

/**
 * With Split Outputs, the fields of a row about its one output. Outputs are told apart by their place,
 * because their ids may repeat.
 */
function fieldsOfOutput(resource: Json, index: number): IDataObject {
	const output = outputsWithLink(resource)[index] as IDataObject | undefined;
	if (!output) return {};
	return 'url' in resource ? { output } : { url: output.url, output };
}

/**
 * Names the files of a row `data`, `data_1`, `data_2` and so on. The first one gets the name that the next
 * node expects.
 */
export const inFields = (files: IBinaryData[], field: string): IBinaryKeyData =>
	Object.fromEntries(files.map((file, index) => [index === 0 ? field : `${field}_${index}`, file]));

/** A response without signing secrets, at any depth. */
const withoutSigningSecret = (record: Json): Json =>
	JSON.parse(JSON.stringify(record), (name, value: unknown) =>
		SIGNING_SECRET.test(name) ? undefined : value,
	) as Json;

/**
 * A resource as it is output: simplified if the user wants that, and without secrets unless the user has
 * asked for them.
 */
function forOutput({ spec, settings }: Pick<Item, 'spec' | 'settings'>, resource: Json): Json {
	const hides = spec.holdsSecret && !settings.includeSecret;
	const open = hides ? withoutSigningSecret(resource) : resource;
	return settings.simplify && spec.simplify ? spec.simplify(open) : open;
}

/** The fields of the input item beside which a result stands. */
export interface InputFields {
	json: IDataObject;
	/** The name of the field that gets the result. */
	resultField: string;
}

/**
 * The fields of the input item, with the result in one field beside them. No column of the input takes the
 * name of that field, and a column `error` becomes `input_error`.
 */
export function withInputFields(
	{ json, resultField }: InputFields,
	result: IDataObject,
): IDataObject {
	const columns = columnsOf({ ...json, [resultField]: undefined }) as IDataObject;
	return { ...columns, [resultField]: result };
}

/** Where a row comes from. */
interface RowSource {
	itemIndex: number;
	/** Set with Include Input Fields. */
	inputFields?: InputFields;
	/** The request, if it was a creation. */
	request?: ApiRequest;
}

/**
 * The rows for what an item puts out. All files stand on one row. With Split Outputs each file stands on a
 * row of its own, or each link where nothing was downloaded. A prompt that the service states wins over the
 * one that was sent.
 */
export function rowsOfItem(
	{ resources, files = [], warning, next, finished }: ItemOutput,
	settings: Pick<Settings, 'splitOutputs' | 'outputBinaryField' | 'isTool'>,
	{ itemIndex, inputFields, request }: RowSource,
): INodeExecutionData[] {
	const { splitOutputs, outputBinaryField, isTool } = settings;
	const prompt = textOf(isRecord(request?.body) ? request.body.prompt : undefined);
	const resultOf = (resource: Json): IDataObject => {
		const json = jsonOf(resource);
		if (warning !== undefined) json.warning = warning;
		if (next !== undefined) json.next = next;
		if (finished !== undefined) json.finished = finished;
		if (isTool) return condenseForAgent(json) as IDataObject;
		return prompt === undefined || 'prompt' in json ? json : { ...json, prompt };
	};
	const rowOf = (result: IDataObject, binary?: IBinaryKeyData): INodeExecutionData => {
		const json = inputFields ? withInputFields(inputFields, result) : result;
		const row = { json, pairedItem: { item: itemIndex } };
		return binary ? { ...row, binary } : row;
	};
	return resources.flatMap((resource, resourceIndex) => {
		const own = files[resourceIndex] ?? [];
		const result = resultOf(resource);
		if (!splitOutputs)
			return [rowOf(result, own.length > 0 ? inFields(own, outputBinaryField) : undefined)];
		const outputs = outputsWithLink(resource);
		const isToBeSplit = own.length > 0 || (outputs.length > 0 && !isTool);
		if (!isToBeSplit) return [rowOf(result)];
		return (own.length > 0 ? own : outputs).map((_, index) => {
			const file = own[index];
			const binary = file && { [outputBinaryField]: file };
			return rowOf({ ...result, ...fieldsOfOutput(resource, index) }, binary);
		});
	});
}
