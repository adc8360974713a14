import { jobState } from '../jobs/jobState';
import { readNewest } from '../jobs/readJob';
import { POLICIES } from '../limits/policies';
import type { Item } from './item';

const { giveUpAfterMs, unexplainedMs, unexplainedRefusals } = POLICIES.concurrency;

/**
 * How long an item keeps trying when it is refused with 429 again and again: as long as other items
 * are accepted, or jobs are running in the workspace and use up its concurrency. If none are,
 * waiting is pointless and the item fails soon.
 */
export class SlotWaitLimit {
	private since: number | undefined;

	private refusals = 0;

	constructor(private readonly item: Item) {}

	/** To be called after each refusal. */
	async isExceeded(): Promise<boolean> {
		const { workspace, settings } = this.item;
		const now = workspace.clock.monotonic();
		this.since ??= now;
		this.refusals += 1;
		const waited = now - Math.max(this.since, workspace.jobSemaphore.lastAccepted);
		if (waited >= Math.min(giveUpAfterMs, settings.waitTimeoutMs)) return true;
		if (waited < unexplainedMs || this.refusals < unexplainedRefusals) return false;
		return !(await this.areJobsRunning());
	}

	private async areJobsRunning(): Promise<boolean> {
		const { workspace, host } = this.item;
		const newest = await readNewest(workspace.client, host.channel);
		if (!newest.ok) return false;
		return [...newest.value.values()].some((job) => jobState(job) === 'running');
	}
}
