import { onAbort } from './abort';
import type { Channel } from './types';

export type Turn = Pick<Channel, 'fairnessKey' | 'signal'>;

/** Times are in ms on the monotonic clock. */
interface Waiting<T, C> {
	channel: C;
	since: number;
	/** How long it waits at most, for who calls `expire`. */
	timeoutMs: number;
	resolve: (value: T) => void;
	dispose: () => void;
}

/**
 * Channels that wait for a value, served round robin by their fairness keys, so that a batch of 500
 * does not starve another execution. One that is cancelled gets `cancelled` at once.
 */
export class WaitQueue<T, C extends Turn = Channel> {
	/** By fairness key, in the order in which they are served. */
	private readonly queues = new Map<string, Set<Waiting<T, C>>>();

	constructor(private readonly cancelled: T) {}

	get size(): number {
		let size = 0;
		for (const queue of this.queues.values()) size += queue.size;
		return size;
	}

	/** The one that is served next. */
	get next(): Waiting<T, C> | undefined {
		for (const [first] of this.queues.values()) return first;
		return undefined;
	}

	/** Not `async`: thousands may wait, and each suspended call costs 400 bytes. */
	wait(channel: C, since = 0, timeoutMs = Infinity): Promise<T> {
		const { fairnessKey, signal } = channel;
		if (signal?.aborted) return Promise.resolve(this.cancelled);
		return new Promise<T>((resolve) => {
			const dispose = onAbort(signal, () => this.end(waiting, this.cancelled));
			const waiting: Waiting<T, C> = { channel, since, timeoutMs, resolve, dispose };
			const queue = this.queues.get(fairnessKey) ?? new Set();
			this.queues.set(fairnessKey, queue.add(waiting));
		});
	}

	/** Gives a value to the channel that is served next; its fairness key moves to the back. */
	grant(value: T): void {
		const { next } = this;
		if (!next) return;
		const { fairnessKey } = next.channel;
		const queue = this.queues.get(fairnessKey) ?? new Set();
		this.queues.delete(fairnessKey);
		this.queues.set(fairnessKey, queue);
		this.end(next, value);
	}

	/** Ends the waits that have lasted too long, each with a value of its own. */
	expire(isLate: (waiting: Waiting<T, C>) => boolean, value: (waiting: Waiting<T, C>) => T): void {
		for (const queue of this.queues.values())
			for (const waiting of queue) if (isLate(waiting)) this.end(waiting, value(waiting));
	}

	private end(waiting: Waiting<T, C>, value: T): void {
		const { fairnessKey } = waiting.channel;
		const queue = this.queues.get(fairnessKey);
		queue?.delete(waiting);
		if (queue?.size === 0) this.queues.delete(fairnessKey);
		waiting.dispose();
		waiting.resolve(value);
	}
}
