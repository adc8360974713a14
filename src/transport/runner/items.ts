import type { IBinaryKeyData, IDataObject, INodeExecutionData, NodeApiError } from 'n8n-workflow';
import { shortForAgent } from '../operations/agentAnswer';
import type { Outcome } from '../item/item';
import type { Settings } from '../item/settings';
import { isRecord, type Resource } from '../base/types';

/** The address of the first file of a job: `outputs` of a generation, `output` of a speech generation. */
function firstUrl({ outputs, output }: IDataObject): unknown {
	const listed: unknown[] = Array.isArray(outputs) ? outputs : [output];
	const file = listed.find((one) => isRecord(one) && typeof one.url === 'string' && one.url !== '');
	return isRecord(file) ? file.url : undefined;
}

/** What one looks for stands first; the rest follows as the service gives it. */
function inReadingOrder(json: IDataObject): IDataObject {
	const names = Object.keys(json);
	const first = ['id', 'status', 'url', 'output', 'outputs'].filter((name) => names.includes(name));
	const credits = names.filter((name) => /credit/i.test(name));
	const order = new Set([...first, ...credits, ...names]);
	return Object.fromEntries([...order].map((name) => [name, json[name]]));
}

/**
 * A resource as the json of an item: whole, but for one name, and with the `url` of its first file. n8n takes a truthy `error`
 * at the top of the first item for a failure and runs the node again, so that field of the service is given as `failure`.
 */
export function jsonOf(resource: Resource): IDataObject {
	const { error, ...rest } = resource;
	const json = (error === undefined ? rest : { ...rest, failure: error }) as IDataObject;
	const url = firstUrl(json);
	return inReadingOrder(
		url === undefined || 'url' in json ? json : ({ ...json, url } as IDataObject),
	);
}

/** `data`, `data_1`, `data_2` …: the first file has the name that the next node looks for. */
const fieldName = (field: string, index: number) => (index === 0 ? field : `${field}_${index}`);

/** What an item of Split Outputs has of its own: the one output that it stands for. */
function outputOf(resource: Resource, outputId: string): IDataObject {
	const outputs = Array.isArray(resource.outputs) ? (resource.outputs as IDataObject[]) : [];
	const output = outputs.find(({ id }) => id === outputId);
	if (!output) return {};
	return 'url' in resource ? { output } : { url: output.url, output };
}

/** The items that an input item becomes. Files stand on one item, or on one item each with Split Outputs. */
export function itemsOf(
	{ resources, files, warning, next }: Outcome,
	{ splitOutputs, outputBinaryField, isTool }: Settings,
	item: number,
): INodeExecutionData[] {
	const pairedItem = { item };
	const extra: IDataObject = {
		...(warning !== undefined && { warning }),
		...(next !== undefined && { next }),
	};
	const whole = (resource: Resource) => ({ ...jsonOf(resource), ...extra });
	const read = (resource: Resource) => (isTool ? shortForAgent(whole(resource)) : whole(resource));
	const [job] = resources;
	if (files.length === 0 || !job) {
		return resources.map((resource) => ({ json: read(resource), pairedItem }));
	}
	const json = read(job);
	if (splitOutputs) {
		return files.map(({ outputId, data }) => ({
			json: { ...json, ...outputOf(job, outputId) },
			binary: { [outputBinaryField]: data },
			pairedItem,
		}));
	}
	const binary: IBinaryKeyData = {};
	for (const [index, { data }] of files.entries())
		binary[fieldName(outputBinaryField, index)] = data;
	return [{ json, binary, pairedItem }];
}

/**
 * The item of a failed row. n8n makes `{ error: message }` of an item with an error beside its json, so the error stands in the json.
 * @param row the json of the input item; `undefined` with an error output, where n8n 2.41 knows an error item by its
 * having no fields but `error` and `details`, and puts those of its row there itself
 */
export function errorItem(
	error: NodeApiError,
	details: IDataObject,
	item: number,
	row: IDataObject | undefined,
): INodeExecutionData {
	const { message, description } = error;
	const told = { error: message, details: { ...details, description: description ?? '' } };
	const failed: INodeExecutionData = { json: { ...row, ...told }, pairedItem: { item } };
	// Older versions know it by the error beside the json. Not enumerable, it does not survive the copy that is made for the output.
	if (!row) Object.defineProperty(failed, 'error', { value: error, writable: true });
	return failed;
}
