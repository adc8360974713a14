import { ENDPOINTS, LIMITS } from '../../contract';
import type { Client } from '../client/client';
import { isGeneration, readerPath, statedReason } from './jobState';
import { ok, type Failed, type Result } from '../base/result';
import { isRecord, isResource, type Channel, type Resource } from '../base/types';

/** The newest generations by id, as many as one list request gives (specification: Limits, List `limit`). */
export async function readNewest(
	client: Client,
	channel: Channel,
): Promise<Result<Map<string, Resource>>> {
	const query = { limit: LIMITS.listLimit.max };
	const request = { method: 'GET', path: ENDPOINTS.listGenerations.path, query } as const;
	const page = await client.request(channel, request, { once: true });
	if (!page.ok) return page;
	const entries = isRecord(page.value.body) ? page.value.body.data : undefined;
	const found = (Array.isArray(entries) ? entries : []).filter(isResource);
	return ok(new Map(found.map((entry) => [entry.id, entry])));
}

/** One job as it is now, read where its kind is unless another path is given. */
export async function readJob(
	client: Client,
	channel: Channel,
	job: Resource,
	path = readerPath(job),
): Promise<Result<Resource>> {
	const request = { method: 'GET', path } as const;
	const answer = await client.request(channel, request, { once: true });
	return answer.ok ? ok(answer.value.body as Resource) : answer;
}

export const isNotFound = ({ failure }: Failed) =>
	failure.kind === 'status' && failure.status === 404;

/** n8n itself could not send: it may pass, as when its database is busy, or not, as when the credential is gone. */
export const isLocal = ({ failure }: Failed) =>
	failure.kind === 'noResponse' && failure.unsent === 'local';

/** Faults that say nothing about the job. */
export function isTransient({ failure }: Failed): boolean {
	if (failure.kind === 'status') return failure.status === 429 || failure.unclear;
	if (failure.kind === 'noResponse') return failure.unsent !== 'local';
	return failure.kind === 'badResponse';
}

const hasUrl = (output: unknown) => isRecord(output) && typeof output.url === 'string';

function hasOutputs(job: Resource): boolean {
	if (Array.isArray(job.outputs)) return job.outputs.some(hasUrl);
	return hasUrl(job.output) || !('outputs' in job || 'output' in job || isGeneration(job));
}

/** Statuses that call for a reason. */
const LACKING = new Set<unknown>(['failed', 'partially_completed']);

/**
 * Whether an ended job carries all that is told of it, its outputs and the reason of what it lacks, so that it need not be read
 * by itself: a list or an event may show less.
 */
export function isComplete(job: Resource): boolean {
	const isReasoned = !LACKING.has(job.status) || statedReason(job) !== undefined;
	return isReasoned && (job.status === 'failed' || hasOutputs(job));
}
