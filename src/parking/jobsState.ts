import type { Resource } from '../transport/base/types';
import { isComplete } from '../transport/jobs/readJob';
import { readJobs, type JobRef } from '../transport/jobs/readJobs';
import type { Service } from '../trigger/connection';
import { newestPage } from './newestPage';
import type { Parked, ParkedJob } from './parkedState';
import { hasEnded } from './pendingWaits';

const refOf = ({ id, path, object, terminalStatuses }: ParkedJob): JobRef => ({
	id,
	path,
	object,
	terminalStatuses,
});

/**
 * All jobs if all have ended; otherwise one that is running; `undefined` if one could not be read.
 */
export type JobsState = { ended: Map<string, Resource> } | { running: string } | undefined;

/**
 * Whether all jobs have ended. The newest generations take one request for all parked executions of
 * the process; jobs that are not among them are read one by one until a running one is found. The
 * last one comes first, because it most likely is.
 * @param reported a job that an event says has ended: a list that shows it running may be behind
 */
export async function readJobsState(
	service: Service,
	{ state }: Parked,
	reported?: string,
): Promise<JobsState> {
	const { workspace, host } = service;
	const refs = new Map(state.jobs.map((job) => [job.id, refOf(job)]));
	const ended = new Map<string, Resource>();
	const isRunning = (job: Resource, { terminalStatuses }: JobRef) =>
		!hasEnded(job, terminalStatuses);
	const page = await newestPage(workspace, host.channel);
	const listed = (id: string) => (page.ok ? page.value.get(id) : undefined);
	const known = reported === undefined ? undefined : refs.get(reported);
	const shown = known && listed(known.id);
	const isBehind = known !== undefined && shown !== undefined && isRunning(shown, known);
	for (const ref of refs.values()) {
		const seen = listed(ref.id);
		if (!seen) continue;
		if (isRunning(seen, ref)) {
			if (isBehind) continue;
			return { running: ref.id };
		}
		if (isComplete(seen)) ended.set(ref.id, seen);
	}
	const rest = [...refs.values()].filter(({ id }) => !ended.has(id)).reverse();
	const options = { retry: false, isListed: false, isEnough: isRunning };
	const read = await readJobs(workspace.client, host.channel, rest, options);
	for (const ref of rest) {
		const seen = read.get(ref.id);
		if (!seen) return undefined;
		// If a job can no longer be read, the wait reports it once the timer resumes the execution.
		if (!seen.ok || isRunning(seen.value, ref)) return { running: ref.id };
		ended.set(ref.id, seen.value);
	}
	return { ended };
}
