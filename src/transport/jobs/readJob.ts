import { ENDPOINTS, LIMITS } from '../../contract';
import type { Client } from '../client/client';
import { isGeneration, readerPath, statedReason } from './jobState';
import { ok, type Failed, type Result } from '../base/result';
import { isRecord, isResource, type Line, type Resource } from '../base/types';

/** The newest generations by id, as many as one list request gives (specification: Limits, List `limit`). */
export async function readNewest(
	client: Client,
	line: Line,
): Promise<Result<Map<string, Resource>>> {
	const query = { limit: LIMITS.listLimit.max };
	const request = { method: 'GET', path: ENDPOINTS.listGenerations.path, query } as const;
	const page = await client.request(line, request, { once: true });
	if (!page.ok) return page;
	const entries = isRecord(page.value.body) ? page.value.body.data : undefined;
	const found = (Array.isArray(entries) ? entries : []).filter(isResource);
	return ok(new Map(found.map((entry) => [entry.id, entry])));
}

/** One job as it is now, read where its kind is unless another path is given. */
export async function readJob(
	client: Client,
	line: Line,
	job: Resource,
	path = readerPath(job),
): Promise<Result<Resource>> {
	const request = { method: 'GET', path } as const;
	const answer = await client.request(line, request, { once: true });
	return answer.ok ? ok(answer.value.body as Resource) : answer;
}

export const isUnknown = ({ failure }: Failed) =>
	failure.kind === 'status' && failure.status === 404;

/** n8n itself could not send: it may pass, as when its database is busy, or not, as when the credential is gone. */
export const isLocal = ({ failure }: Failed) =>
	failure.kind === 'lost' && failure.unsent === 'local';

/** Faults that say nothing about the job. */
export function isPassing({ failure }: Failed): boolean {
	if (failure.kind === 'status') return failure.status === 429 || failure.unclear;
	if (failure.kind === 'lost') return failure.unsent !== 'local';
	return failure.kind === 'answer';
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
export function hasAll(job: Resource): boolean {
	const isReasoned = !LACKING.has(job.status) || statedReason(job) !== undefined;
	return isReasoned && (job.status === 'failed' || hasOutputs(job));
}
