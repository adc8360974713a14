import type { Channel, Clock } from './types';

const listenersBySignal = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls the listener once when the signal fires. Thousands of items may wait on the signal of one
 * run, and Node warns about more than ten listeners, so all of them share one.
 * @param listener a distinct function for each wait
 * @returns removes the listener
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
	if (!signal) return () => {};
	const known = listenersBySignal.get(signal);
	const listeners = known ?? new Set<() => void>();
	if (!known) {
		listenersBySignal.set(signal, listeners);
		signal.addEventListener('abort', () => listeners.forEach((each) => each()), { once: true });
	}
	listeners.add(listener);
	return () => void listeners.delete(listener);
}

/** What a promise gives; rejects with the reason of the signal as soon as that fires. */
export async function unlessAborted<T>(signal: AbortSignal, task: Promise<T>): Promise<T> {
	let dispose = () => {};
	const aborted = new Promise<never>((_, reject) => {
		const stop = () => reject(signal.reason as Error);
		if (signal.aborted) stop();
		else dispose = onAbort(signal, stop);
	});
	return await Promise.race([task, aborted]).finally(dispose);
}

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
	private readonly lanes = new Map<string, Set<Waiting<T, C>>>();

	constructor(private readonly cancelled: T) {}

	get size(): number {
		let size = 0;
		for (const lane of this.lanes.values()) size += lane.size;
		return size;
	}

	/** The one that is served next. */
	get next(): Waiting<T, C> | undefined {
		const [[first] = []] = this.lanes.values();
		return first;
	}

	/** Not `async`: thousands may wait, and each suspended call costs 400 bytes. */
	wait(channel: C, since = 0, timeoutMs = Infinity): Promise<T> {
		const { fairnessKey, signal } = channel;
		if (signal?.aborted) return Promise.resolve(this.cancelled);
		return new Promise<T>((resolve) => {
			const dispose = onAbort(signal, () => this.end(waiting, this.cancelled));
			const waiting: Waiting<T, C> = { channel, since, timeoutMs, resolve, dispose };
			const lane = this.lanes.get(fairnessKey) ?? new Set();
			this.lanes.set(fairnessKey, lane.add(waiting));
		});
	}

	/** Gives a value to the channel that is served next; its fairness key moves to the back. */
	grant(value: T): void {
		const { next } = this;
		if (!next) return;
		const { fairnessKey } = next.channel;
		const lane = this.lanes.get(fairnessKey) ?? new Set();
		this.lanes.delete(fairnessKey);
		this.lanes.set(fairnessKey, lane);
		this.end(next, value);
	}

	/** Ends the waits that have lasted too long, each with a value of its own. */
	expire(isLate: (waiting: Waiting<T, C>) => boolean, value: (waiting: Waiting<T, C>) => T): void {
		for (const lane of this.lanes.values())
			for (const waiting of lane) if (isLate(waiting)) this.end(waiting, value(waiting));
	}

	private end(waiting: Waiting<T, C>, value: T): void {
		const { fairnessKey } = waiting.channel;
		const lane = this.lanes.get(fairnessKey);
		lane?.delete(waiting);
		if (lane?.size === 0) this.lanes.delete(fairnessKey);
		waiting.dispose();
		waiting.resolve(value);
	}
}

/** At most so many tasks at a time; the others wait in fair order. */
export class Semaphore {
	private readonly waiting = new WaitQueue<boolean, Turn>(false);

	constructor(private free: number) {}

	/** @returns `false` if it was cancelled before there was a place, which `leave` gives back */
	enter(turn: Turn): Promise<boolean> {
		if (turn.signal?.aborted) return Promise.resolve(false);
		if (this.free === 0) return this.waiting.wait(turn);
		this.free -= 1;
		return Promise.resolve(true);
	}

	leave(): void {
		if (this.waiting.size > 0) this.waiting.grant(true);
		else this.free += 1;
	}

	/** @returns `undefined` if it was cancelled before the task began */
	async run<T>(turn: Turn, task: () => Promise<T>): Promise<T | undefined> {
		if (!(await this.enter(turn))) return undefined;
		return await task().finally(() => this.leave());
	}
}

/** Calls back once, at the earliest of the times it was set to since it last did. */
export class WakeUp {
	/** On the monotonic clock; `Infinity` while no call is due. */
	private at = Infinity;

	constructor(
		private readonly clock: Clock,
		private readonly onWake: () => void,
	) {}

	set(at: number): void {
		if (at >= this.at) return;
		this.at = at;
		void this.sleepUntil(at);
	}

	/** At least a millisecond, so that what begins in the same tick is served together. */
	private async sleepUntil(at: number): Promise<void> {
		await this.clock.sleep(Math.max(1, at - this.clock.monotonic()));
		// It has been set to an earlier time.
		if (this.at !== at) return;
		this.at = Infinity;
		this.onWake();
	}
}
