import { offAbort, onAbort, type AbortListener } from './abortListeners';
import { FairQueue } from './fairQueue';
import type { Channel } from './types';

interface Waiting<T> {
	channel: Channel;
	resolve: (value: T | undefined) => void;
	/** What the signal of the channel calls. */
	cancel: AbortListener;
}

/**
 * Channels that wait for the same kind of value. Values are granted in fair order; a cancelled
 * channel gets none.
 */
export class WaitQueue<T> {
	private readonly queue = new FairQueue<Waiting<T>>();

	/** @param onEmpty called when the last one waiting has been served or cancelled */
	constructor(private readonly onEmpty: () => void = () => {}) {}

	get size(): number {
		return this.queue.size;
	}

	/** The channel that is served next. */
	get next(): Channel | undefined {
		return this.queue.next?.channel;
	}

	/**
	 * Not `async`, here and in whoever only passes the promise on: each suspended call costs 400
	 * bytes, and thousands may wait.
	 * @returns `undefined` if the channel is cancelled first
	 */
	wait(channel: Channel): Promise<T | undefined> {
		const { fairnessKey, signal } = channel;
		if (signal?.aborted) return Promise.resolve(undefined);
		return new Promise<T | undefined>((resolve) => {
			const waiting: Waiting<T> = { channel, resolve, cancel: () => this.cancel(waiting) };
			onAbort(signal, waiting.cancel);
			this.queue.push(fairnessKey, waiting);
		});
	}

	/** It leaves the queue at once, so that it is granted nothing more. */
	private cancel(waiting: Waiting<T>): ReturnType<AbortListener> {
		if (!this.queue.remove(waiting.channel.fairnessKey, waiting)) return;
		if (this.size === 0) this.onEmpty();
		return () => waiting.resolve(undefined);
	}

	/** Gives a value to the channel that is served next. */
	grant(value: T): void {
		const waiting = this.queue.shift();
		if (!waiting) return;
		offAbort(waiting.channel.signal, waiting.cancel);
		waiting.resolve(value);
		if (this.size === 0) this.onEmpty();
	}
}
