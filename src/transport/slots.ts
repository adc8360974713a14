import { FairQueue } from './fairQueue';
import type { Line, Resource } from './types';

/** A place among the concurrent jobs of the workspace. Giving it back twice does nothing. */
export interface Slot {
	free(): void;
	/** The job goes on, but nobody waits for it: its place may be reclaimed by looking whether it has ended. */
	leave(job: Resource): void;
}

/** What a line gets: a place, or a job to look at first because all places are taken, or nothing (cancelled). */
export type Turn = { slot: Slot } | { look: Resource; slot: Slot } | undefined;

interface Waiter {
	take: (turn: Turn) => void;
}

/**
 * The places for concurrent generations of a workspace (specification: Limits, Concurrent media jobs), held from the
 * POST until the job has ended, so that the service never has to refuse one of ours.
 */
export class Slots {
	private taken = 0;

	private readonly queue = new FairQueue<Waiter>();

	/** Jobs that hold a place although nobody waits for them, oldest first. */
	private readonly left = new Map<string, { job: Resource; slot: Slot }>();

	constructor(public limit: number) {}

	async take({ owner, signal }: Line): Promise<Turn> {
		if (signal?.aborted) return undefined;
		if (this.taken < this.limit) return { slot: this.occupy() };
		const oldest = this.reclaim();
		if (oldest) return oldest;
		return await new Promise<Turn>((resolve) => {
			const onAbort = () => {
				if (this.queue.remove(owner, waiter)) resolve(undefined);
			};
			const waiter: Waiter = {
				take: (turn) => {
					signal?.removeEventListener('abort', onAbort);
					resolve(turn);
				},
			};
			signal?.addEventListener('abort', onAbort, { once: true });
			this.queue.push(owner, waiter);
		});
	}

	private occupy(): Slot {
		this.taken += 1;
		let held = true;
		const slot: Slot = {
			free: () => {
				if (!held) return;
				held = false;
				this.taken -= 1;
				this.pump();
			},
			leave: (job) => {
				if (!held) return;
				// The same job again, by its idempotency key: one job takes one place.
				const known = this.left.get(job.id);
				if (known && known.slot !== slot) return slot.free();
				this.left.set(job.id, { job, slot });
				this.pump();
			},
		};
		return slot;
	}

	private reclaim(): Turn {
		for (const [id, { job, slot }] of this.left) {
			this.left.delete(id);
			return { look: job, slot };
		}
		return undefined;
	}

	private pump(): void {
		while (this.queue.size > 0) {
			const turn: Turn = this.taken < this.limit ? { slot: this.occupy() } : this.reclaim();
			if (!turn) return;
			this.queue.shift()?.take(turn);
		}
	}
}
