import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { isRecord, type Json } from '../../src/api';
import {
	eventIdentity,
	objectOf,
	readEvent,
	verdictOf,
	type Filters,
} from '../../src/trigger/event';
import { filtersOf, optionsOf, switchOf } from '../../src/trigger/filters';
import { nameInLog, NOT_STARTED, warnOfNoResource } from '../../src/trigger/log';
import {
	downloadFiles,
	forEachItem,
	openService,
	readResource,
	type Service,
} from '../../src/trigger/service';
import { ok, type Result } from '../../src/base/result';
import { readerOf } from '../../src/transport/jobState';
import { jsonOf } from '../../src/n8n/rows';

/** Events that n8n remembers for a trigger, in one row of its database. */
const MAX_RECORDED = 2_000;

const payloadOf = ({ json }: INodeExecutionData): Json =>
	isRecord(json.payload) ? json.payload : {};

/** The record being written: n8n loses entries that one process writes at the same moment. */
let recording: Promise<unknown> = Promise.resolve();

/** Whether n8n's database knows each event of an earlier execution; none if it cannot say. */
async function areRepeats(context: IExecuteFunctions): Promise<boolean[]> {
	const keys = context.getInputData().map((item) => eventIdentity(payloadOf(item)));
	const options = { mode: 'entries', maxEntries: MAX_RECORDED } as const;
	const record = async () => {
		try {
			return await context.helpers.checkProcessedAndRecord(keys, 'node', options);
		} catch {
			context.logger.warn(
				`MediaGen Trigger: ${nameInLog(context)}: n8n could not record an event in its database. It starts the workflow; a repeat of it may do so again`,
			);
			return { processed: [] as string[] };
		}
	};
	const recorded = recording.then(record);
	recording = recorded;
	const { processed } = await recorded;
	return keys.map((key) => processed.includes(key));
}

/** The items of events that have not started the workflow before. */
async function firstItems(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const items = context.getInputData();
	// A service repeats deliveries; everything else is run again on purpose.
	if (context.getMode() !== 'webhook') return items;
	// Decided once per execution, because Retry On Fail runs the node again.
	const memory = context.getContext('node');
	memory.repeats ??= await areRepeats(context);
	return items.filter((_item, index) => (memory.repeats as boolean[])[index] !== true);
}

/** @returns the item with what the options add; `undefined` if the filters reject it */
async function enrich(
	context: IExecuteFunctions,
	service: Service,
	item: INodeExecutionData,
	filters: Filters,
	wants: { resource: boolean; files: boolean },
): Promise<Result<INodeExecutionData | undefined>> {
	const payload = payloadOf(item);
	const event = readEvent(payload);
	const { resourceId } = event;
	const json: IDataObject = { ...item.json };
	if (resourceId === undefined) {
		const isWanted = verdictOf(event, filters) === 'wanted';
		const happened = isWanted ? 'outputs an event without its resource' : NOT_STARTED;
		warnOfNoResource(context, happened, payload);
		return ok(isWanted ? { json: { ...json, resource: null } } : undefined);
	}
	const read = await readResource(service, readerOf(objectOf(event)), resourceId);
	if (!read.ok) return read;
	const resource = read.value;
	if (verdictOf({ ...event, resource }, filters) !== 'wanted') return ok(undefined);
	if (wants.resource) json.resource = jsonOf(resource);
	if (!wants.files) return ok({ json });
	const files = await downloadFiles(service, resource);
	return files.ok ? ok({ json, binary: files.value }) : files;
}

/**
 * The slow part of an event: by now the service has its response, in queue mode a worker does this,
 * and a failure is an execution that can be retried.
 */
export async function execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const items = await firstItems(this);
	const filters = filtersOf(this);
	const options = optionsOf(this);
	const files = switchOf(this, 'Download Outputs', options.downloadOutputs) ?? false;
	const fetches = switchOf(this, 'Fetch Resource', options.fetchResource) ?? false;
	const wants = { files, resource: files || fetches };
	const isWanted = (item: INodeExecutionData) =>
		verdictOf(readEvent(payloadOf(item)), filters) === 'wanted';
	if (!wants.resource && items.every(isWanted)) return [items];
	const service = await openService(this);
	return [
		await forEachItem(
			this,
			items,
			async (item) => await enrich(this, service, item, filters, wants),
		),
	];
}
