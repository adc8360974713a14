import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { ENDPOINTS, type Endpoint } from '../../src/contract';
import { detailsOf, nodeError } from '../../src/transport/runner/errors';
import { errorItem, jsonOf } from '../../src/transport/runner/items';
import type { Failed, Result } from '../../src/transport/base/result';
import { isRecord, type Resource } from '../../src/transport/base/types';
import { readEvent, type MediaGenEvent } from '../../src/webhook/event';
import { objectOf, verdictOf } from '../../src/webhook/filter';
import { filesOf } from '../../src/trigger/files';
import { readOptions, type Options } from '../../src/trigger/options';
import { openService, type Service } from '../../src/trigger/connection';
import { firstEvents } from './firstEvents';

/** Where each kind of resource is read; whatever else it is, GET /jobs/{id} knows it. */
const READERS: Record<string, Endpoint> = {
	generation: ENDPOINTS.getGeneration,
	speech_generation: ENDPOINTS.getSpeech,
	agent_run: ENDPOINTS.getAgentRun,
	persona: ENDPOINTS.getPersona,
	voice: ENDPOINTS.getVoice,
};

function readerOf(event: MediaGenEvent): Endpoint {
	const object = objectOf(event);
	return (Object.hasOwn(READERS, object) ? READERS[object] : undefined) ?? ENDPOINTS.getJob;
}

async function readWhole(
	service: Service,
	endpoint: Endpoint,
	id: string,
): Promise<Result<Resource>> {
	service.needs(endpoint.scope);
	const path = endpoint.path.replace('{id}', encodeURIComponent(id));
	const answer = await service.workspace.client.request(service.host.channel, {
		method: 'GET',
		path,
	});
	return answer.ok ? { ok: true, value: { ...(answer.value.body as Resource), id } } : answer;
}

type Enriched = Result<INodeExecutionData | undefined>;

/** @returns the item with what the options add; `undefined` for one that the filters do not want */
async function enriched(
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
	const whole = await readWhole(service, readerOf(event), resourceId);
	if (!whole.ok) return whole;
	const isWanted = verdictOf({ ...event, resource: whole.value }, options) === 'wanted';
	if (!isWanted) return { ok: true, value: undefined };
	const read: IDataObject = { ...json };
	if (options.fetchResource || options.downloadOutputs) read.resource = jsonOf(whole.value);
	if (!options.downloadOutputs) return { ok: true, value: { json: read, pairedItem } };
	const files = await filesOf(service, whole.value);
	if (!files.ok) return files;
	return { ok: true, value: { json: read, binary: files.value, pairedItem } };
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
	const known = { endpoint: readerOf(event), itemIndex, submitted: 0, notSubmitted: 0 };
	const error = nodeError(context.getNode(), named, known);
	return { error, details: detailsOf(named, known) };
}

/** Whether the payload alone does not do. */
function needsReading({ json }: INodeExecutionData, options: Options): boolean {
	if (options.fetchResource || options.downloadOutputs) return true;
	return verdictOf(readEvent(isRecord(json.payload) ? json.payload : {}), options) !== 'wanted';
}

/**
 * What takes time, done in the execution that the delivery has started: the service has its answer already, in queue mode a
 * worker does it, and a failure is an execution that can be retried.
 */
export async function enrich(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const items = await firstEvents(this);
	const options = readOptions(this);
	if (!items.some((item) => needsReading(item, options))) return [items];
	const service = await openService(this);
	const output: INodeExecutionData[] = [];
	for (const [index, item] of items.entries()) {
		const result = await enriched(service, item, index, options);
		if (result.ok) {
			if (result.value) output.push(result.value);
			continue;
		}
		const { error, details } = failure(this, result, item, index);
		if (!this.continueOnFail()) throw error;
		output.push(errorItem(error, details, index, item.json));
	}
	return [output];
}
