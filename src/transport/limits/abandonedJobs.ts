import type { Permit } from './permit';
import type { Channel, Resource } from '../base/types';

/** Waits until a job no longer occupies its slot. `false` if the channel was cancelled first. */
export type AwaitEnd = (channel: Channel, job: Resource) => Promise<boolean>;

interface AbandonedJob {
	job: Resource;
	permit: Permit;
	isWatched: boolean;
}

/**
 * Jobs that occupy a slot although no caller waits for them. Nobody asks for them until somebody else needs a slot; from
 * then on all are watched, and whichever has ended frees its own.
 */
export class AbandonedJobs {
	private readonly jobs = new Map<string, AbandonedJob>();

	/** Stops watching them once no caller needs a slot. */
	private watchAbort = new AbortController();

	constructor(
		private readonly awaitEnd: AwaitEnd,
		/** Called when a watch has ended although its job has not: the next channel may watch it. */
		private readonly onUnwatched: () => void,
	) {}

	/** @returns `false` for the same job again, by its idempotency key: one job occupies one slot */
	add(job: Resource, permit: Permit): boolean {
		if (this.jobs.has(job.id)) return false;
		this.jobs.set(job.id, { job, permit, isWatched: false });
		return true;
	}

	delete(id: string): void {
		this.jobs.delete(id);
	}

	/**
	 * Watches all at once for the channel served next: one list request covers all, and any may end
	 * first.
	 */
	watch(channel: Channel): void {
		for (const abandoned of this.jobs.values()) {
			if (!abandoned.isWatched) void this.watchOne(abandoned, channel);
		}
	}

	stopWatching(): void {
		this.watchAbort.abort();
		this.watchAbort = new AbortController();
	}

	private async watchOne(abandoned: AbandonedJob, channel: Channel): Promise<void> {
		const { signal } = this.watchAbort;
		abandoned.isWatched = true;
		const watching = {
			...channel,
			signal: channel.signal ? AbortSignal.any([channel.signal, signal]) : signal,
		};
		// If the job cannot be read, its slot counts as free: if it is not, the service refuses the
		// next job.
		const hasEnded = await this.awaitEnd(watching, abandoned.job).catch(() => true);
		abandoned.isWatched = false;
		if (hasEnded) abandoned.permit.release();
		else this.onUnwatched();
	}
}
