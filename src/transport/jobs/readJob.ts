import { ENDPOINTS, LIMITS } from '../../contract';
import { requestResource, type Client } from '../http/client';
import { pageOf } from '../http/pages';
import { isGone, isRefusal, meaningOf } from '../http/statuses';
import { isGeneration, readerPath, statedReason } from './jobState';
import { ok, type Failed, type Result } from '../base/result';
import { isRecord, isResource, type Channel, type Resource } from '../base/types';

/**
 * The newest generations by id, one full page of the list (specification: Limits, List `limit`).
 */
export async function readNewest(
	client: Client,
	channel: Channel,
): Promise<Result<Map<string, Resource>>> {
	const query = { limit: LIMITS.listLimit.max };
	const request = { method: 'GET', path: ENDPOINTS.listGenerations.path, query } as const;
	const page = await client.request(channel, request, { retry: false });
	if (!page.ok) return page;
	const found = pageOf(page.value.body).entries.filter(isResource);
	return ok(new Map(found.map((entry) => [entry.id, entry])));
}

/** The current state of a job, read at the endpoint of its kind unless another path is given. */
export const readJob = async (
	client: Client,
	channel: Channel,
	job: Resource,
	path = readerPath(job),
): Promise<Result<Resource>> =>
	await requestResource(client, channel, { method: 'GET', path }, { retry: false });

/** The service does not know the id (404): maybe not yet. */
export const isNotFound = ({ failure }: Failed) =>
	failure.kind === 'status' && isGone(failure.status);

/**
 * n8n itself could not send: maybe only for now (its database is busy), maybe for good (no
 * credential).
 */
export const isLocal = ({ failure }: Failed) =>
	failure.kind === 'noResponse' && failure.unsent === 'local';

/** Whether a failure says nothing about the job. */
export function isTransient(failed: Failed): boolean {
	const { failure } = failed;
	if (failure.kind === 'status')
		return meaningOf(failure.status).again !== 'never' || !isRefusal(failed);
	if (failure.kind === 'noResponse') return failure.unsent !== 'local';
	return failure.kind === 'badResponse';
}

const hasUrl = (output: unknown) => isRecord(output) && typeof output.url === 'string';

function hasOutputs(job: Resource): boolean {
	if (Array.isArray(job.outputs)) return job.outputs.some(hasUrl);
	return hasUrl(job.output) || !('outputs' in job || 'output' in job || isGeneration(job));
}

/** Statuses that are incomplete without a reason. */
const STATUSES_WITH_REASON = new Set<unknown>(['failed', 'partially_completed']);

/**
 * Whether an ended job as shown by a list or an event is complete: with its outputs, and with a
 * reason if it failed wholly or in part. Otherwise it must be read by itself.
 */
export function isComplete(job: Resource): boolean {
	const hasReason = !STATUSES_WITH_REASON.has(job.status) || statedReason(job) !== undefined;
	return hasReason && (job.status === 'failed' || hasOutputs(job));
}
