import { offAbort, onAbort } from './abort';
import { getOrCreate } from './maps';
import type { Channel } from './types';

export type Waiter = Pick<Channel, 'fairnessKey' | 'signal'>;

/** A channel that waits. Times are in ms on the monotonic clock. */
interface Waiting<T, C> {
	channel: C;
	since: number;
	/** How long it may wait, for callers of `expire`. */
	timeoutMs: number;
	resolve: (value: T) => void;
	reject: (fault: unknown) => void;
	/** Ends the wait without a value: the channel was aborted. */
	cancel: () => void;
}

/**
 * Channels that wait for a value. Their executions (fairness keys) are served in turn, so that a batch of 500
 * items does not hold up another execution. A channel that is aborted gets `cancelled` at once.
 */
export class WaitQueue<T, C extends Waiter = Channel> {
	/** The waiting channels by fairness key, in the order in which the keys are served. */
	private readonly queues = new Map<string, Set<Waiting<T, C>>>();

	constructor(private readonly cancelled: T) {}

	get size(): number {
		let size = 0;
		for (const queue of this.queues.values()) size += queue.size;
		return size;
	}

	/** The channel that is served next. */
	get next(): Waiting<T, C> | undefined {
		for (const [first] of this.queues.values()) return first;
		return undefined;
	}

	/**
	 * Waits for a value. Not `async`: thousands may wait, and each suspended call costs 400 bytes. For the
	 * same reason no function is `async` through which thousands wait.
	 */
	wait(channel: C, since = 0, timeoutMs = Infinity): Promise<T> {
		const { fairnessKey, signal } = channel;
		if (signal?.aborted) return Promise.resolve(this.cancelled);
		return new Promise<T>((resolve, reject) => {
			const cancel = () => this.end(waiting, this.cancelled);
			const waiting: Waiting<T, C> = { channel, since, timeoutMs, resolve, reject, cancel };
			onAbort(signal, cancel);
			getOrCreate(this.queues, fairnessKey, () => new Set()).add(waiting);
		});
	}

	/** Gives a value to the channel that is served next. Its fairness key is then served last. */
	grant(value: T): void {
		const { next } = this;
		if (!next) return;
		const { fairnessKey } = next.channel;
		const queue = this.queues.get(fairnessKey) ?? new Set();
		this.queues.delete(fairnessKey);
		this.queues.set(fairnessKey, queue);
		this.end(next, value);
	}

	/** Ends each wait that has lasted too long, with a value of its own. */
	expire(isLate: (waiting: Waiting<T, C>) => boolean, value: (waiting: Waiting<T, C>) => T): void {
		for (const queue of this.queues.values())
			for (const waiting of queue) if (isLate(waiting)) this.end(waiting, value(waiting));
	}

	/** Ends all waits with what our own code has thrown. */
	rejectAll(fault: unknown): void {
		for (const queue of this.queues.values())
			for (const waiting of queue) {
				this.remove(waiting);
				waiting.reject(fault);
			}
	}

	private end(waiting: Waiting<T, C>, value: T): void {
		this.remove(waiting);
		waiting.resolve(value);
	}

	private remove(waiting: Waiting<T, C>): void {
		const { fairnessKey, signal } = waiting.channel;
		const queue = this.queues.get(fairnessKey);
		queue?.delete(waiting);
		if (queue?.size === 0) this.queues.delete(fairnessKey);
		offAbort(signal, waiting.cancel);
	}
}
