import { WakeUp } from '../base/wakeUp';
import { AdaptiveConcurrency } from './adaptiveConcurrency';
import { WaitQueue } from '../base/waitQueue';
import type { Clock, Channel, Random, Resource } from '../base/types';

/** A place among the concurrent jobs of the workspace. Giving it back twice does nothing. */
export interface Permit {
	release(): void;
	/** The service has taken the job. */
	accepted(): void;
	/** The service has refused the job (429): the place is given back, and others seem to use the workspace. */
	refused(hintMs?: number): void;
	/** The job goes on, but nobody waits for it: it holds its place until somebody else needs one and finds that it has ended. */
	abandon(job: Resource): void;
}

/** Waits until a job no longer holds its place. `false` when the line was cancelled first. */
export type AwaitEnd = (channel: Channel, job: Resource) => Promise<boolean>;

interface Left {
	job: Resource;
	slot: Permit;
	isWatched: boolean;
}

/**
 * The places for concurrent generations of a workspace (specification: Limits, Concurrent media jobs), held from the
 * POST until the job has ended, so that the service never has to refuse one of ours. Where others use the workspace too,
 * `Room` says how many of the places are ours at the moment.
 */
export class JobSemaphore {
	private taken = 0;

	private readonly queue = new WaitQueue<Permit>();

	/** Jobs that hold a place although nobody waits for them. */
	private readonly abandoned = new Map<string, Left>();

	/** Ends the looks at these jobs when nobody needs a place any more. */
	private lookout = new AbortController();

	private readonly concurrency: AdaptiveConcurrency;

	/** Lets the slots look again when the room may be tried. */
	private readonly wakeUp: WakeUp;

	constructor(
		public limit: number,
		clock: Clock,
		random: Random,
		private readonly awaitEnd: AwaitEnd,
	) {
		this.concurrency = new AdaptiveConcurrency(clock, random);
		this.wakeUp = new WakeUp(clock, () => this.pump());
	}

	/** When the service last took a job of ours, on the monotonic clock; `-Infinity` for never. */
	get lastAccepted(): number {
		return this.concurrency.lastAccepted;
	}

	/** @returns nothing when the line was cancelled */
	async acquire(channel: Channel): Promise<Permit | undefined> {
		const turn = this.queue.wait(channel);
		this.pump();
		const permit = await turn;
		if (this.queue.size === 0) this.stopWatching();
		return permit;
	}

	private occupy(): Permit {
		this.taken += 1;
		let held = true;
		let leftAs: string | undefined;
		const free = () => {
			if (!held) return;
			held = false;
			this.taken -= 1;
			if (leftAs !== undefined) this.abandoned.delete(leftAs);
			this.pump();
		};
		const permit: Permit = {
			release: free,
			accepted: () => {
				this.concurrency.accepted(this.taken);
				this.pump();
			},
			refused: (hintMs) => {
				this.concurrency.refused(this.taken - 1, hintMs);
				free();
			},
			abandon: (job) => {
				if (!held || leftAs !== undefined) return;
				// The same job again, by its idempotency key: one job takes one place.
				if (this.abandoned.has(job.id)) return free();
				leftAs = job.id;
				this.abandoned.set(job.id, { job, slot: permit, isWatched: false });
				this.pump();
			},
		};
		return permit;
	}

	private pump(): void {
		while (this.queue.size > 0) {
			const isFree = this.taken < this.limit;
			if (!isFree || !this.concurrency.admits(this.taken)) {
				if (isFree) this.wakeUp.set(this.concurrency.probeAt);
				this.watchLeft();
				return;
			}
			this.queue.give(this.occupy());
		}
	}

	/** All of them at once, on behalf of one who waits: a single list answers for all, and any of them may end first. */
	private watchLeft(): void {
		const channel = this.queue.next;
		if (!channel) return;
		for (const left of this.abandoned.values()) if (!left.isWatched) void this.watch(left, channel);
	}

	private async watch(left: Left, channel: Channel): Promise<void> {
		const { signal } = this.lookout;
		left.isWatched = true;
		const own = {
			...channel,
			signal: channel.signal ? AbortSignal.any([channel.signal, signal]) : signal,
		};
		// Whatever goes wrong with looking, the place counts as free: if it is not, the service says so, and `Room` learns it.
		const isOver = await this.awaitEnd(own, left.job).catch(() => true);
		left.isWatched = false;
		if (isOver) left.slot.release();
		else this.pump();
	}

	private stopWatching(): void {
		this.lookout.abort();
		this.lookout = new AbortController();
	}
}
