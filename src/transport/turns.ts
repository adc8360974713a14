import { onAbort } from './aborts';
import { FairQueue } from './fairQueue';
import type { Line } from './types';

/** Lines that wait for the same kind of thing: each gets one in its fair turn, or nothing when it is cancelled. */
export class Turns<T> {
	private readonly queue = new FairQueue<(thing: T) => void>();

	get size(): number {
		return this.queue.size;
	}

	async wait({ owner, signal }: Line): Promise<T | undefined> {
		if (signal?.aborted) return undefined;
		return await new Promise<T | undefined>((resolve) => {
			const dispose = onAbort(signal, () => {
				if (this.queue.remove(owner, take)) resolve(undefined);
			});
			const take = (thing: T) => {
				dispose();
				resolve(thing);
			};
			this.queue.push(owner, take);
		});
	}

	/** Gives one thing to the line whose turn it is. */
	give(thing: T): void {
		this.queue.shift()?.(thing);
	}
}
