import { onAbort } from './abortListeners';
import { FairQueue } from './fairQueue';
import type { Channel } from './types';

interface Waiting<T> {
	line: Channel;
	take: (thing: T) => void;
}

/** Lines that wait for the same kind of thing: each gets one in its fair turn, or nothing when it is cancelled. */
export class WaitQueue<T> {
	private readonly queue = new FairQueue<Waiting<T>>();

	get size(): number {
		return this.queue.size;
	}

	/** The line whose turn comes next. */
	get next(): Channel | undefined {
		return this.queue.next?.line;
	}

	async wait(channel: Channel): Promise<T | undefined> {
		const { fairnessKey: owner, signal } = channel;
		if (signal?.aborted) return undefined;
		return await new Promise<T | undefined>((resolve) => {
			const dispose = onAbort(signal, () => {
				if (this.queue.remove(owner, waiting)) resolve(undefined);
			});
			const take = (thing: T) => {
				dispose();
				resolve(thing);
			};
			const waiting = { line: channel, take };
			this.queue.push(owner, waiting);
		});
	}

	/** Gives one thing to the line whose turn it is. */
	give(thing: T): void {
		this.queue.shift()?.take(thing);
	}
}
