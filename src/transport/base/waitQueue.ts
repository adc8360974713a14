import { onAbort } from './abortListeners';
import { FairQueue } from './fairQueue';
import type { Line } from './types';

interface Waiting<T> {
	line: Line;
	take: (thing: T) => void;
}

/** Lines that wait for the same kind of thing: each gets one in its fair turn, or nothing when it is cancelled. */
export class Turns<T> {
	private readonly queue = new FairQueue<Waiting<T>>();

	get size(): number {
		return this.queue.size;
	}

	/** The line whose turn comes next. */
	get next(): Line | undefined {
		return this.queue.next?.line;
	}

	async wait(line: Line): Promise<T | undefined> {
		const { owner, signal } = line;
		if (signal?.aborted) return undefined;
		return await new Promise<T | undefined>((resolve) => {
			const dispose = onAbort(signal, () => {
				if (this.queue.remove(owner, waiting)) resolve(undefined);
			});
			const take = (thing: T) => {
				dispose();
				resolve(thing);
			};
			const waiting = { line, take };
			this.queue.push(owner, waiting);
		});
	}

	/** Gives one thing to the line whose turn it is. */
	give(thing: T): void {
		this.queue.shift()?.take(thing);
	}
}
