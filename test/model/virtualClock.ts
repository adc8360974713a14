/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
import { offAbort, onAbort } from '../../src/base/abort';
import type { Clock } from '../../src/base/types';

interface Sleeper {
	due: number;
	isAwake: boolean;
	wake: () => void;
}

/** Sleeps in a row, after which a run is taken to be endless. */
const MOST_STEPS = 1_000_000;

/**
 * Time that passes only when nothing else is left to do: it then jumps to the next one who sleeps,
 * so that hours take milliseconds and every run is the same.
 */
export class VirtualClock implements Clock {
	/**
	 * Those that wake next come last; of two that are due together, the one that fell asleep first.
	 * Some are awake already.
	 */
	private readonly sleepers: Sleeper[] = [];

	/** How many sleep now: 0 after a run that leaves nothing behind. */
	sleeping = 0;

	/** Every sleep that was asked for, in milliseconds. */
	readonly sleeps: number[] = [];

	/** Of the monotonic clock. */
	private time = 3_600_000;

	/** What the wall clock is ahead of the monotonic one. */
	private ahead: number;

	constructor(wall = Date.parse('2026-01-01T00:00:00.000Z')) {
		this.ahead = wall - this.time;
	}

	now(): number {
		return this.time + this.ahead;
	}

	/**
	 * Far from the wall clock, so that it shows when a moment of the one is taken for one of the
	 * other.
	 */
	monotonic(): number {
		return this.time;
	}

	/** Sets the wall clock forward, or back by a negative time. No time passes. */
	setWall(byMs: number): void {
		this.ahead += byMs;
	}

	/** The machine is suspended: time passes, and timers that were due fire late. */
	stall(ms: number): void {
		this.time += ms;
	}

	async sleep(ms: number, signal?: AbortSignal): Promise<void> {
		this.sleeps.push(ms);
		if (ms <= 0 || signal?.aborted) return;
		await new Promise<void>((resolve) => {
			const wake = () => {
				if (sleeper.isAwake) return;
				sleeper.isAwake = true;
				this.sleeping -= 1;
				offAbort(signal, wake);
				resolve();
			};
			const sleeper: Sleeper = { due: this.time + ms, isAwake: false, wake };
			this.enqueue(sleeper);
			onAbort(signal, wake);
		});
	}

	/** Does something at a moment of this clock. */
	after(ms: number, act: () => void): void {
		void this.sleep(ms).then(act);
	}

	/**
	 * Lets time pass until the promise has settled. Rejects when nothing is left that could settle
	 * it.
	 */
	async run<T>(task: Promise<T>): Promise<T> {
		let settled = false;
		const end = () => {
			settled = true;
		};
		task.then(end, end);
		for (let step = 0; step < MOST_STEPS; step += 1) {
			await this.quiet();
			if (settled) return await task;
			if (!this.wakeNext()) throw new Error('Deadlock: nothing is left to wait for');
		}
		throw new Error('The run does not end');
	}

	/** Lets so much time pass, whether or not anybody waits for it. */
	async pass(ms: number): Promise<void> {
		await this.run(this.sleep(ms));
	}

	/**
	 * Lets everything happen that needs no time: promises, and streams of what is in memory. It is not
	 * for those who read a file or a socket.
	 */
	async quiet(): Promise<void> {
		await new Promise<void>((resolve) => setImmediate(resolve));
	}

	/** Found by halving: thousands sleep at once, and each step asks for the next. */
	private enqueue(sleeper: Sleeper): void {
		let [from, to] = [0, this.sleepers.length];
		while (from < to) {
			const middle = (from + to) >>> 1;
			if ((this.sleepers[middle]?.due ?? 0) > sleeper.due) from = middle + 1;
			else to = middle;
		}
		this.sleepers.splice(from, 0, sleeper);
		this.sleeping += 1;
	}

	private wakeNext(): boolean {
		let next = this.sleepers.pop();
		while (next?.isAwake) next = this.sleepers.pop();
		if (!next) return false;
		this.time = Math.max(this.time, next.due);
		next.wake();
		return true;
	}
}
