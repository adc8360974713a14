import type {
	IAllExecuteFunctions,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IPollFunctions,
} from 'n8n-workflow';
import { ENDPOINTS, LIMITS } from '../../src/api';
import {
	chosenNames,
	filtersOf,
	parameterOf,
	switchOf,
	verdictOf,
} from '../../src/trigger/filters';
import { nameInLog } from '../../src/trigger/log';
import {
	downloadFiles,
	forEachItem,
	openService,
	readResource,
	serviceError,
	type Service,
} from '../../src/trigger/service';
import { savedState, saveState } from '../../src/trigger/savedState';
import { fail, ok, type Failed, type Result } from '../../src/base/result';
import { isResource, type ApiRequest, type Resource } from '../../src/base/types';
import { jobState, lacksOutputs } from '../../src/transport/jobState';
import { mustBeList, pageOf } from '../../src/transport/pages';
import { saysGone } from '../../src/transport/statuses';
import { jsonOf } from '../../src/n8n/output/rows';
import { operationError } from '../../src/n8n/output/errors';
import { findNewlyFinished, isFinished, type PollState, type Reader } from './findNewlyFinished';

/*
 * From the list of the service to the items. n8n calls `poll` regularly, which reads what has finished since
 * the last one (`findNewlyFinished`) and starts an execution with it; then `execute` in that execution, which
 * downloads the files. In the editor n8n calls only `execute`, which shows some of the newest.
 */

const CANNOT_LIST = 'The generations cannot be listed';

/** Reads generations. A page that cannot be read is a NodeApiError. */
function generationReader(context: IAllExecuteFunctions, service: Service): Reader {
	const endpoint = ENDPOINTS.listGenerations;
	service.requireScope(endpoint.scope);
	return {
		unreadable(problem) {
			const failed = fail({ kind: 'badResponse', status: 200, problem });
			return serviceError(context, failed, endpoint, CANNOT_LIST);
		},
		async page(cursor) {
			const query: ApiRequest['query'] = { limit: LIMITS.listLimit.max };
			if (cursor !== undefined) query.cursor = cursor;
			const request = { method: 'GET', path: endpoint.path, query } as const;
			const answer = await service.send(request, { validate: mustBeList });
			if (!answer.ok) throw serviceError(context, answer, endpoint, CANNOT_LIST);
			return pageOf(answer.value.body);
		},
		async read(id) {
			const answer = await readResource(service, ENDPOINTS.getGeneration, id, { retry: false });
			if (answer.ok) return answer.value;
			return saysGone(answer) ? 'gone' : undefined;
		},
	};
}

/** Decides by the filters of the trigger whether a job is wanted. */
function filterOf(context: IAllExecuteFunctions): (job: Resource) => boolean {
	const statuses = chosenNames(context, 'Statuses', parameterOf(context, 'statuses', []));
	const filters = { ...filtersOf(context), statuses };
	return (resource) =>
		verdictOf({ kind: '', resourceId: resource.id, resource }, filters) === 'wanted';
}

/** The item of a job. The fields by which people tell generations apart come first. */
function itemOf(job: Resource): INodeExecutionData {
	const json = jsonOf(job);
	const first = ['prompt', 'status', 'model', 'mode'].filter((name) => name in json);
	const names = new Set([...first, ...Object.keys(json)]);
	return { json: Object.fromEntries([...names].map((name) => [name, json[name]])) as IDataObject };
}

/** The nodes that are polling, because n8n starts a poll even while the previous one is running. */
const polling = new Set<string>();

/** Outputs what has finished since the last poll: once, whatever becomes of the execution. */
export async function poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const service = await openService(this);
	const reader = generationReader(this, service);
	const isWanted = filterOf(this);
	const name = `${this.getWorkflow().id ?? ''}/${this.getNode().id}`;
	if (polling.has(name)) return null;
	polling.add(name);
	try {
		const before = (savedState(this)?.workspaces ?? []) as unknown as PollState[];
		const { account } = service;
		const { finished, complete, states } = await findNewlyFinished(reader, account, before);
		// n8n saves static data after every assignment, so unchanged data is not assigned.
		if (JSON.stringify(before) !== JSON.stringify(states))
			saveState(this, { workspaces: states } as unknown as IDataObject);
		if (!complete)
			this.logger.warn(
				`MediaGen Polling Trigger: ${nameInLog(this)}: more has finished than one poll can read; the oldest may be missing`,
			);
		const items = finished.filter(isWanted).map(itemOf);
		return items.length > 0 ? [items] : null;
	} finally {
		polling.delete(name);
	}
}

/** How many items a manual run has: enough to build a workflow with. */
const SAMPLE = 3;

/** Some of the newest generations that match. The state of the trigger does not change. */
async function sample(context: IExecuteFunctions, service: Service): Promise<INodeExecutionData[]> {
	const { entries } = await generationReader(context, service).page(undefined);
	const found = entries.filter(isResource).filter(isFinished).filter(filterOf(context));
	if (found.length > 0) return found.slice(0, SAMPLE).map(itemOf);
	throw operationError(context.getNode(), 'Nothing that has finished matches', {
		description:
			'Create an image, a video or audio first, or change the statuses, modes and models of this node. A published workflow starts by itself as soon as one finishes.',
	});
}

/** A job with all of its outputs: a list may show less of it than a read of the job. */
async function wholeJob(service: Service, listed: Resource): Promise<Result<Resource>> {
	if (jobState(listed) !== 'good' || !lacksOutputs(listed)) return ok(listed);
	return await readResource(service, ENDPOINTS.getGeneration, listed.id);
}

async function withFiles(
	context: IExecuteFunctions,
	service: Service,
	{ json }: INodeExecutionData,
): Promise<Result<INodeExecutionData>> {
	const listed = { object: 'generation', ...json, id: String(json.id) };
	const whole = await wholeJob(service, listed);
	if (!whole.ok) return whole;
	const job = whole.value;
	const files = await downloadFiles(context, service, job);
	if (!files.ok) return files;
	const shown = job === listed ? json : itemOf(job).json;
	return ok({ json: shown, binary: files.value });
}

const GONE =
	'The service does not know it any more, so it has no files: it was deleted, or the key is of another workspace';

/** Whether a job cannot be had because it was deleted since a poll has found it. */
async function isDeleted(service: Service, id: string, failed: Failed): Promise<boolean> {
	if (saysGone(failed)) return true;
	if (failed.failure.kind !== 'download') return false;
	const read = await readResource(service, ENDPOINTS.getGeneration, id, { retry: false });
	return !read.ok && saysGone(read);
}

/**
 * The item of a job with its files. One that was deleted meanwhile has none left: it is output as it was
 * found, since a failure would keep back what else the poll has found, and come again in each retry.
 */
async function withFilesIfThere(
	context: IExecuteFunctions,
	service: Service,
	item: INodeExecutionData,
): Promise<Result<INodeExecutionData>> {
	const made = await withFiles(context, service, item);
	if (made.ok || !(await isDeleted(service, String(item.json.id), made))) return made;
	return ok({ json: { ...item.json, warning: GONE } });
}

/**
 * What n8n calls in the execution, where there is time to download: for what a poll has found, or a sample.
 */
export async function execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const isManual = this.getMode() === 'manual';
	const download = parameterOf(this, 'downloadOutputs', true);
	const wantsFiles = switchOf(this, 'Download Outputs', download) ?? true;
	if (!isManual && !wantsFiles) return [this.getInputData()];
	const service = await openService(this);
	const items = isManual ? await sample(this, service) : this.getInputData();
	if (!wantsFiles) return [items];
	const make = async (item: INodeExecutionData) => await withFilesIfThere(this, service, item);
	return [await forEachItem(this, items, make)];
}
