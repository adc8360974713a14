import { NodeOperationError, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';
import { ENDPOINTS } from '../../src/contract';
import { detailsOf, nodeError } from '../../src/transport/run/errors';
import { errorRow, jsonOf } from '../../src/transport/run/items';
import { jobState } from '../../src/transport/jobs/jobState';
import { withOutputs } from '../../src/transport/run/outputs';
import type { Failed, Result } from '../../src/transport/base/result';
import { asText, isResource, resourceWithId, type Resource } from '../../src/transport/base/types';
import { downloadFiles } from '../../src/trigger/files';
import { processedItems, withRetries } from '../../src/trigger/processedItems';
import { withoutRepeats } from '../../src/trigger/withoutRepeats';
import { readOptions } from '../../src/trigger/options';
import { openService, type Service } from '../../src/trigger/connection';
import { recordArrival } from './arrivals';
import type { Reader } from './findNewlyFinished';
import { filterOf, itemsOf, nameOf, readerOf } from './reader';
import { MAX_SEEN } from './state';

/** Items of a manual run. */
const SAMPLE = 10;

/** Some of the newest, to build a workflow with. Changes no state. */
async function sample(context: IExecuteFunctions, reader: Reader): Promise<INodeExecutionData[]> {
	const { entries } = await reader.page(undefined);
	const isFinished = ({ status }: Resource) =>
		['completed', 'partially_completed', 'failed'].includes(asText(status));
	const found = entries.filter(isResource).filter(isFinished).filter(filterOf(context));
	if (found.length > 0) return itemsOf(found.slice(0, SAMPLE))[0] ?? [];
	throw new NodeOperationError(context.getNode(), 'No finished generation matches', {
		description:
			'Create one, or change the statuses, modes and models of this node. A published workflow starts by itself as soon as one finishes.',
	});
}

/**
 * Drops what an earlier execution has received: after a crash, a poll emits again whatever may not
 * have arrived.
 */
async function firstFound(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	return await withoutRepeats(context, 'trigger', async (items) => {
		recordArrival(
			nameOf(context),
			items.map(({ json }) => String(json.id)),
		);
		const keys = items.map(({ json }) => `${String(json.id)} ${String(json.status)}`);
		const added = await withRetries(async () => await processedItems(context).add(keys, MAX_SEEN));
		return added ?? keys.map(() => true);
	});
}

async function withFiles(
	service: Service,
	{ json }: INodeExecutionData,
	item: number,
): Promise<Result<INodeExecutionData>> {
	const listed = resourceWithId({ object: 'generation', ...json }, String(json.id));
	// A list may show less of a job than the job itself does.
	const job = jobState(listed) === 'good' ? await withOutputs(service, listed) : listed;
	const files = await downloadFiles(service, job);
	if (!files.ok) return files;
	const shown = job === listed ? json : jsonOf(job);
	return { ok: true, value: { json: shown, binary: files.value, pairedItem: { item } } };
}

function failure(context: IExecuteFunctions, failed: Failed, id: unknown, itemIndex: number) {
	const named = failed.job ? failed : { ...failed, job: { id: String(id) } };
	const endpoint = ENDPOINTS.getGeneration;
	const known = { endpoint, itemIndex, submitted: 0, notSubmitted: 0 };
	return {
		error: nodeError(context.getNode(), named, known),
		details: detailsOf(named, known),
	};
}

/** Outputs what a poll has found, or a sample in a manual run, with its files if wanted. */
export async function execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const isManual = this.getMode() === 'manual';
	const { downloadOutputs } = readOptions(this);
	const found = isManual ? [] : await firstFound(this);
	if (!isManual && !downloadOutputs) return [found];
	const service = await openService(this);
	service.requireScope(ENDPOINTS.listGenerations.scope);
	const items = isManual ? await sample(this, readerOf(this, service)) : found;
	if (!downloadOutputs) return [items];
	const output: INodeExecutionData[] = [];
	for (const [index, item] of items.entries()) {
		const result = await withFiles(service, item, index);
		if (result.ok) {
			output.push(result.value);
			continue;
		}
		const { error, details } = failure(this, result, item.json.id, index);
		if (!this.continueOnFail()) throw error;
		output.push(errorRow(error, details, index, item.json));
	}
	return [output];
}
