import { fail, ok, type Result } from '../base/result';
import type { Resource } from '../base/types';
import { requestResource } from '../transport/client';
import { readerOf, readerPath } from '../transport/jobState';
import type { Item } from './item';
import type { JobReference } from './state';

/** A known job is only read: whatever a gateway answers or a key may not do, the failure names the job. */
export async function readKnownJob(
	{ host, workspace }: Item,
	job: JobReference,
): Promise<Result<Resource>> {
	const request = { method: 'GET', path: readerPath({ ...job }) } as const;
	const read = await requestResource(workspace.client, host.channel, request);
	if (!read.ok) return { ...fail(read.failure, { ...job }), endpoint: readerOf(job.object ?? '') };
	const { object = job.object } = read.value;
	return ok(object === undefined ? read.value : { ...read.value, object });
}
