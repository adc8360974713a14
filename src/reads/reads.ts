import { ok, type Failed, type Result } from '../base/result';
import { isRecord, isResource, type Json } from '../base/types';
import { idAskedFor, isRepeatable } from '../api';
import { mustBeObject, otherIdProblem, requestResource } from '../transport/client';
import { readPages } from '../transport/pages';
import { saysGone } from '../transport/statuses';
import { toResult } from '../transport/jobFailure';
import { jobState } from '../transport/jobState';
import { sendFile } from '../creation/uploads';
import { withReadPermit } from '../creation/run';
import type { Item, ItemOutput } from '../creation/item';
import type { OutputKind } from '../creation/operationSpec';
import { fetchFiles, type FileContext } from '../creation/outputs';
import { withSamples } from './voiceSamples';

/*
 * Operations that create nothing: they read, list, wait, change, delete or upload. A refusal may concern all
 * items of a run, so only a few items ask at a time (`withReadPermit`).
 */

type Handler = (item: Item) => Promise<Result<ItemOutput>>;

const withoutFiles = (resources: Json[]): ItemOutput => ({ resources });

/** Where the specification shows no response body, an empty one is as good as an object. */
function emptyOrObject(body: unknown): string | undefined {
	const isEmpty = body === undefined || body === null || body === '';
	return isEmpty ? undefined : mustBeObject(body);
}

/** Sends the request of an item, which creates nothing. @returns the body of the response */
async function answeredBody(
	item: Item,
	validate: (body: unknown) => string | undefined,
): Promise<Result<unknown>> {
	const options = { validate, replayable: isRepeatable(item.spec.endpoint) };
	const answer = await withReadPermit(item, async ({ workspace, host, request }) => {
		return await workspace.client.request(host.channel, request, options);
	});
	return answer.ok ? ok(answer.value.body) : answer;
}

async function readList(item: Item): Promise<Result<ItemOutput>> {
	const { settings, spec } = item;
	const { limit: wanted, newerThan } = settings;
	const query = { wanted, takesLimit: spec.takesLimit ?? false, newerThan };
	const entries = await withReadPermit(item, async ({ workspace, host, request }) => {
		return await readPages(workspace.client, host.channel, request, query);
	});
	if (!entries.ok) return entries;
	return settings.downloadOutputs
		? await withSamples(item, entries.value)
		: ok(withoutFiles(entries.value));
}

/** Sends one request, such as a read or an update. @returns the resource of its answer */
async function requestOne(item: Item): Promise<Result<ItemOutput>> {
	const { request, spec } = item;
	const mayBeEmpty = spec.endpoint.success === undefined;
	const id = idAskedFor(spec.endpoint, request.path);
	const body = await answeredBody(
		item,
		(answered) =>
			(mayBeEmpty ? emptyOrObject(answered) : mustBeObject(answered)) ??
			(id === undefined ? undefined : otherIdProblem(answered, id)),
	);
	if (!body.ok) return body;
	if (isRecord(body.value)) return ok(withoutFiles([body.value]));
	return ok(withoutFiles([id === undefined ? {} : { id }]));
}

/**
 * Deletes a resource. If the request was sent again after a lost response, and the resource is gone then, the
 * first request has deleted it.
 */
async function remove(item: Item): Promise<Result<ItemOutput>> {
	const body = await answeredBody(item, emptyOrObject);
	const isDeleted = (failed: Failed) =>
		saysGone(failed) && failed.failure.kind === 'status' && failed.failure.outcomeUnknown;
	if (!body.ok && !isDeleted(body)) return body;
	const rest = body.ok && isRecord(body.value) ? body.value : {};
	const id = idAskedFor(item.spec.endpoint, item.request.path);
	return ok(withoutFiles([{ ...rest, id, deleted: true }]));
}

async function uploadFile(item: Item): Promise<Result<ItemOutput>> {
	const sent = await withReadPermit(item, sendFile);
	return sent.ok ? ok(withoutFiles([sent.value])) : sent;
}

/** Where a resource is read again to get a new link: at the path at which it was read. */
const readAsBefore = (item: Item): FileContext => {
	const { method, path } = item.request;
	return method === 'GET' ? { ...item, readPath: path } : item;
};

/** Downloads the files of a job that has succeeded. Any other job stays as it is. */
async function withFilesIfGood(item: Item, job: Json): Promise<Result<ItemOutput>> {
	const isGood = isResource(job) && jobState(job, item.settings.terminalStatuses) === 'good';
	return isGood ? await fetchFiles(readAsBefore(item), job) : ok(withoutFiles([job]));
}

/** Reads or changes a resource that is no job, and downloads its preview if it has one. */
async function readWithPreview(item: Item): Promise<Result<ItemOutput>> {
	const answered = await requestOne(item);
	const [resource] = answered.ok ? answered.value.resources : [];
	return isResource(resource) ? await fetchFiles(readAsBefore(item), resource) : answered;
}

async function readJob(item: Item): Promise<Result<ItemOutput>> {
	const found = await requestOne(item);
	if (!found.ok) return found;
	const [job = {}] = found.value.resources;
	const itemOutput = await withFilesIfGood(item, job);
	const finished = jobState(job, item.settings.terminalStatuses) !== 'running';
	return itemOutput.ok ? ok({ ...itemOutput.value, finished }) : itemOutput;
}

/**
 * Waits until a job has ended. It is read at the path of the request, whatever its kind, because the key may
 * not be allowed to read it elsewhere.
 */
async function waitForJob(item: Item): Promise<Result<ItemOutput>> {
	const { host, workspace, request, settings } = item;
	const { terminalStatuses, waitTimeoutMs } = settings;
	const found = await withReadPermit(item, async (stoppable) => {
		return await requestResource(workspace.client, stoppable.host.channel, request);
	});
	if (!found.ok) return found;
	const options = { terminalStatuses, path: request.path };
	const waited = await workspace.poller.wait(host.channel, found.value, waitTimeoutMs, options);
	const done = waited.ok ? toResult(waited.value, terminalStatuses) : waited;
	if (!done.ok) return done;
	const itemOutput = await fetchFiles(readAsBefore(item), done.value);
	return itemOutput.ok ? ok({ ...itemOutput.value, finished: true }) : itemOutput;
}

/** How an operation that creates nothing is carried out, by what it puts out. */
export const WITHOUT_CREATION: Record<OutputKind, Handler> = {
	resource: readWithPreview,
	list: readList,
	job: readJob,
	wait: waitForJob,
	deleted: remove,
	file: uploadFile,
};
