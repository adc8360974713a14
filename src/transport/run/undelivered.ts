import type { Workspace } from '../workspace';
import { isKeyExpired, type JobReference } from './itemState';

/** More than anybody clicks through in a day. */
const MAX_JOBS = 1_000;

/**
 * Jobs that a failed execution has paid for and given to nobody. In the editor each click is a new
 * execution, which goes on with them instead of paying again. Kept by this process, for a day.
 */
export class UndeliveredJobs {
	/** Oldest first. */
	private jobs: Array<{ request: string; job: JobReference; at: number }> = [];

	/** @param request names the node and the fingerprint of its request */
	add(request: string, job: JobReference, now: number): void {
		if (this.jobs.some(({ job: { id } }) => id === job.id)) return;
		this.jobs = [...this.jobs, { request, job, at: now }].slice(-MAX_JOBS);
	}

	/** A job that was delivered after all, such as by Retry Execution. */
	remove(id: string): void {
		this.jobs = this.jobs.filter(({ job }) => job.id !== id);
	}

	/** The oldest job of a request, which nobody else takes. */
	take(request: string, now: number): JobReference | undefined {
		const known = this.jobs.find((one) => one.request === request && !isKeyExpired(one.at, now));
		if (known) this.remove(known.job.id);
		return known?.job;
	}
}

const undelivered = new WeakMap<Workspace, UndeliveredJobs>();

export function undeliveredOf(workspace: Workspace): UndeliveredJobs {
	const known = undelivered.get(workspace) ?? new UndeliveredJobs();
	undelivered.set(workspace, known);
	return known;
}
