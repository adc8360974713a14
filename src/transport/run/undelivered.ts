import { BoundedMap } from '../base/boundedMap';
import type { Workspace } from '../workspace';
import { isKeyExpired, type JobReference } from './itemState';

/** Requests with jobs that nobody was given: more than anybody clicks through in a day. */
const MAX_REQUESTS = 1_000;

/**
 * Jobs that a failed execution has paid for and given to nobody. In the editor each click is a new
 * execution, which goes on with them instead of paying again. Kept by this process, for a day.
 */
export class UndeliveredJobs {
	private readonly jobs = new BoundedMap<string, Array<{ job: JobReference; at: number }>>(
		MAX_REQUESTS,
	);

	/** @param request names the node and the fingerprint of its request */
	add(request: string, job: JobReference, now: number): void {
		const known = this.jobs.get(request) ?? [];
		if (known.some(({ job: { id } }) => id === job.id)) return;
		this.jobs.set(request, [...known, { job, at: now }]);
	}

	/** A job that was delivered after all, such as by Retry Execution. */
	remove(request: string, id: string): void {
		const left = (this.jobs.get(request) ?? []).filter(({ job }) => job.id !== id);
		if (left.length > 0) this.jobs.set(request, left);
		else this.jobs.delete(request);
	}

	/** The oldest job of a request, which nobody else takes. */
	take(request: string, now: number): JobReference | undefined {
		const fresh = (this.jobs.get(request) ?? []).filter(({ at }) => !isKeyExpired(at, now));
		const [first, ...others] = fresh;
		if (others.length > 0) this.jobs.set(request, others);
		else this.jobs.delete(request);
		return first?.job;
	}
}

const undelivered = new WeakMap<Workspace, UndeliveredJobs>();

export function undeliveredOf(workspace: Workspace): UndeliveredJobs {
	const known = undelivered.get(workspace) ?? new UndeliveredJobs();
	undelivered.set(workspace, known);
	return known;
}
