import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type { Endpoint } from '../../src/contract';
import { readerOf } from '../../src/transport/jobs/jobState';
import { detailsOf, nodeError } from '../../src/transport/run/errors';
import { errorRow, jsonOf } from '../../src/transport/run/items';
import type { Failed, Result } from '../../src/transport/base/result';
import { isRecord, resourceWithId, type Resource } from '../../src/transport/base/types';
import { readEvent, type MediaGenEvent } from '../../src/webhook/event';
import { objectOf, verdictOf } from '../../src/webhook/filter';
import { downloadFiles } from '../../src/trigger/files';
import { readOptions, type Options } from '../../src/trigger/options';
import { openService, type Service } from '../../src/trigger/connection';
import { firstEvents } from './firstEvents';

const endpointOf = (event: MediaGenEvent): Endpoint => readerOf(objectOf(event));

async function readResource(
	service: Service,
	endpoint: Endpoint,
	id: string,
): Promise<Result<Resource>> {
	service.requireScope(endpoint.scope);
	const path = endpoint.path.replace('{id}', encodeURIComponent(id));
	const answer = await service.workspace.client.request(service.host.channel, {
		method: 'GET',
		path,
	});
	return answer.ok ? { ok: true, value: resourceWithId(answer.value.body, id) } : answer;
}

type Enriched = Result<INodeExecutionData | undefined>;

/** @returns the item with what the options add; `undefined` if the filters reject it */
async function enrichItem(
	service: Service,
	{ json }: INodeExecutionData,
	item: number,
	options: Options,
): Promise<Enriched> {
	const pairedItem = { item };
	const event = readEvent(isRecord(json.payload) ? json.payload : {});
	const { resourceId } = event;
	const bare: Enriched = { ok: true, value: { json: { ...json, resource: null }, pairedItem } };
	if (resourceId === undefined)
		return verdictOf(event, options) === 'wanted' ? bare : { ok: true, value: undefined };
	const resource = await readResource(service, endpointOf(event), resourceId);
	if (!resource.ok) return resource;
	const isWanted = verdictOf({ ...event, resource: resource.value }, options) === 'wanted';
	if (!isWanted) return { ok: true, value: undefined };
	const enrichedJson: IDataObject = { ...json };
	if (options.fetchResource || options.downloadOutputs)
		enrichedJson.resource = jsonOf(resource.value);
	if (!options.downloadOutputs) return { ok: true, value: { json: enrichedJson, pairedItem } };
	const files = await downloadFiles(service, resource.value);
	if (!files.ok) return files;
	return { ok: true, value: { json: enrichedJson, binary: files.value, pairedItem } };
}

function failure(
	context: IExecuteFunctions,
	failed: Failed,
	item: INodeExecutionData,
	itemIndex: number,
) {
	const event = readEvent(isRecord(item.json.payload) ? item.json.payload : {});
	const id = event.resourceId ?? '';
	const named = failed.job ? failed : { ...failed, job: { id } };
	const known = { endpoint: endpointOf(event), itemIndex, submitted: 0, notSubmitted: 0 };
	const error = nodeError(context.getNode(), named, known);
	return { error, details: detailsOf(named, known) };
}

/** Whether the payload alone is not enough. */
function needsReading({ json }: INodeExecutionData, options: Options): boolean {
	if (options.fetchResource || options.downloadOutputs) return true;
	return verdictOf(readEvent(isRecord(json.payload) ? json.payload : {}), options) !== 'wanted';
}

/**
 * The slow part runs in the execution that the delivery has started: the service already has its
 * response, in queue mode a worker does it, and a failure is an execution that can be retried.
 */
export async function enrich(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const items = await firstEvents(this);
	const options = readOptions(this);
	if (!items.some((item) => needsReading(item, options))) return [items];
	const service = await openService(this);
	const output: INodeExecutionData[] = [];
	for (const [index, item] of items.entries()) {
		const result = await enrichItem(service, item, index, options);
		if (result.ok) {
			if (result.value) output.push(result.value);
			continue;
		}
		const { error, details } = failure(this, result, item, index);
		if (!this.continueOnFail()) throw error;
		output.push(errorRow(error, details, index, item.json));
	}
	return [output];
}
