import { offAbort, onAbort, type AbortListener } from './abortListeners';
import type { Channel } from './types';

/**
 * Serves its fairness keys round robin: one entry of each key, then the next of each. A batch of
 * 500 and a single image of another execution alternate, so neither starves the other.
 */
export class FairQueue<T> {
	private readonly lanes = new Map<string, T[]>();

	get size(): number {
		let size = 0;
		for (const lane of this.lanes.values()) size += lane.length;
		return size;
	}

	push(fairnessKey: string, entry: T): void {
		const lane = this.lanes.get(fairnessKey);
		if (lane) lane.push(entry);
		else this.lanes.set(fairnessKey, [entry]);
	}

	/** The next entry, without removing it. */
	get next(): T | undefined {
		for (const lane of this.lanes.values()) return lane[0];
		return undefined;
	}

	/** Removes and returns the next entry; its fairness key moves to the back. */
	shift(): T | undefined {
		for (const [fairnessKey, lane] of this.lanes) {
			const entry = lane.shift();
			this.lanes.delete(fairnessKey);
			if (lane.length > 0) this.lanes.set(fairnessKey, lane);
			return entry;
		}
		return undefined;
	}

	/** Removes an entry from any position. @returns `false` if it is not in the queue */
	remove(fairnessKey: string, entry: T): boolean {
		const lane = this.lanes.get(fairnessKey);
		const index = lane?.indexOf(entry) ?? -1;
		if (!lane || index < 0) return false;
		lane.splice(index, 1);
		if (lane.length === 0) this.lanes.delete(fairnessKey);
		return true;
	}

	/** Removes and returns all entries that match, in no particular order of their keys. */
	removeAll(matches: (entry: T) => boolean): T[] {
		const removed: T[] = [];
		for (const [fairnessKey, lane] of this.lanes) {
			const rest: T[] = [];
			for (const entry of lane) (matches(entry) ? removed : rest).push(entry);
			if (rest.length > 0) this.lanes.set(fairnessKey, rest);
			else this.lanes.delete(fairnessKey);
		}
		return removed;
	}
}

/** One that waits. Times are in ms on the monotonic clock. */
export interface Waiting<T> {
	readonly channel: Channel;
	readonly since: number;
	/** How long it waits at most, in ms. */
	readonly timeoutMs: number;
	readonly resolve: (value: T) => void;
	/** What the signal of the channel calls. */
	readonly cancel: AbortListener;
}

/**
 * Channels that wait for the same kind of value. Values are granted in fair order; a channel that
 * is cancelled first gets `cancelled` instead.
 */
export class WaitQueue<T> {
	private readonly queue = new FairQueue<Waiting<T>>();

	constructor(
		private readonly cancelled: T,
		/** Called when the last one waiting has been served, cancelled or expired. */
		private readonly onEmpty: () => void = () => {},
	) {}

	get size(): number {
		return this.queue.size;
	}

	/** The one that is served next. */
	get next(): Waiting<T> | undefined {
		return this.queue.next;
	}

	/**
	 * Not `async`, here and in whoever only passes the promise on: each suspended call costs 400
	 * bytes, and thousands may wait.
	 * @param since now, on the monotonic clock; needed only with a `timeoutMs`
	 * @param timeoutMs what `expire` goes by
	 */
	wait(channel: Channel, since = 0, timeoutMs = Infinity): Promise<T> {
		const { fairnessKey, signal } = channel;
		if (signal?.aborted) return Promise.resolve(this.cancelled);
		return new Promise<T>((resolve) => {
			const cancel = () => this.cancel(waiting);
			const waiting: Waiting<T> = { channel, since, timeoutMs, resolve, cancel };
			onAbort(signal, cancel);
			this.queue.push(fairnessKey, waiting);
		});
	}

	/** It leaves the queue at once, so that it is granted nothing more. */
	private cancel(waiting: Waiting<T>): ReturnType<AbortListener> {
		if (!this.queue.remove(waiting.channel.fairnessKey, waiting)) return;
		if (this.size === 0) this.onEmpty();
		return () => waiting.resolve(this.cancelled);
	}

	/** Gives a value to the channel that is served next. */
	grant(value: T): void {
		const waiting = this.queue.shift();
		if (waiting) this.settle([waiting], () => value);
	}

	/**
	 * Ends the waits whose deadline has passed.
	 * @param deadlineOf of one wait, on the monotonic clock
	 * @param value what they get
	 * @returns the earliest deadline of those that go on waiting; `Infinity` if there is none
	 */
	expire(
		now: number,
		deadlineOf: (waiting: Waiting<T>) => number,
		value: (waiting: Waiting<T>) => T,
	): number {
		let next = Infinity;
		const expired = this.queue.removeAll((waiting) => {
			const deadline = deadlineOf(waiting);
			if (deadline > now) next = Math.min(next, deadline);
			return deadline <= now;
		});
		this.settle(expired, value);
		return next;
	}

	private settle(ended: Array<Waiting<T>>, value: (waiting: Waiting<T>) => T): void {
		for (const waiting of ended) {
			offAbort(waiting.channel.signal, waiting.cancel);
			waiting.resolve(value(waiting));
		}
		if (ended.length > 0 && this.size === 0) this.onEmpty();
	}
}
