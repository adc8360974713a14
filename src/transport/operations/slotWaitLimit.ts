import { jobState } from '../jobs/jobState';
import { readNewest } from '../jobs/readJob';
import type { Item } from '../item/item';

/** How long a creation may be refused with 429 while no other of ours gets through, in milliseconds. */
const LONGEST_MS = 1_800_000;

/** After so long, and so many refusals, somebody must be seen to hold the places. */
const UNEXPLAINED_MS = 90_000;
const UNEXPLAINED_REFUSALS = 3;

/**
 * How long an item goes on when it is refused with 429 again and again: as long as others of ours get through or jobs are running
 * in the workspace, which hold the places. Where none run, waiting for a place is hopeless, and the user is told soon.
 */
export class SlotWaitLimit {
	private since: number | undefined;

	private refusals = 0;

	constructor(private readonly run: Item) {}

	/** Asked after each refusal. */
	async isExceeded(): Promise<boolean> {
		const { workspace, settings } = this.run;
		const now = workspace.clock.monotonic();
		this.since ??= now;
		this.refusals += 1;
		const waited = now - Math.max(this.since, workspace.jobSemaphore.lastAccepted);
		if (waited >= Math.min(LONGEST_MS, settings.waitTimeoutMs)) return true;
		if (waited < UNEXPLAINED_MS || this.refusals < UNEXPLAINED_REFUSALS) return false;
		return !(await this.areJobsRunning());
	}

	private async areJobsRunning(): Promise<boolean> {
		const { workspace, host } = this.run;
		const newest = await readNewest(workspace.client, host.channel);
		if (!newest.ok) return false;
		return [...newest.value.values()].some((job) => jobState(job) === 'running');
	}
}
