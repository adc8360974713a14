import type { PollTimes } from './pollTimes';
import type { Sweep } from './sweep';
import type { Waiter } from './waiter';
import { fail } from '../base/result';
import type { Clock, Channel } from '../base/types';
import type { Tuning } from '../limits/policies';

/**
 * Sleeps until a poll or a deadline is due, and polls, as long as anybody waits. When that is, `PollTimes` says; whatever a
 * sweep or the clock does, no wait hangs.
 */
export class PollLoop {
	/** Ends the sleep before the next step if something has changed; `undefined` while awake. */
	private sleepAbort: AbortController | undefined;

	/** When that sleep ends by itself, on the monotonic clock. */
	private sleepingUntil = Infinity;

	private isRunning = false;

	private isSweeping = false;

	constructor(
		private readonly waiters: Set<Waiter>,
		private readonly sweep: Sweep,
		private readonly times: PollTimes,
		private readonly clock: Clock,
		/** Called after each sweep. */
		private readonly onSwept: () => void,
		private readonly tuning: Tuning['polling'],
	) {}

	/** A waiter has joined. @param dueAt when it is first of interest, on the monotonic clock */
	added(dueAt: number): void {
		// Only if it is due earlier: each step goes through all waiters, maybe thousands.
		if (dueAt < this.sleepingUntil) this.wake();
		if (!this.isRunning) void this.poll();
	}

	/** The next step may be due sooner. */
	wake(): void {
		this.sleepAbort?.abort();
	}

	/** Requests a list for a channel that does not wait for a job. `false` while a sweep is on its way. */
	async requestList(channel: Channel): Promise<boolean> {
		if (this.isSweeping) return false;
		await this.sweepAll(channel);
		return true;
	}

	/** Runs while anybody waits. If it ever throws, it fails all waits, so that none hangs. */
	private async poll(): Promise<void> {
		this.isRunning = true;
		this.times.resetBackoff();
		try {
			// Lets all waits that begin in the same tick join the first step.
			await Promise.resolve();
			while (this.waiters.size > 0) await this.step();
		} catch {
			for (const waiter of [...this.waiters]) {
				const problem = 'the response cannot be read';
				const failure = { kind: 'badResponse', status: 200, problem } as const;
				waiter.settle(fail(failure, waiter.job));
			}
		} finally {
			this.isRunning = false;
		}
	}

	/** Does not await the sweep, because deadlines must hold even while a sweep hangs. */
	private async step(): Promise<void> {
		const wait = this.untilNextStep();
		if (wait > 0) {
			this.sleepAbort = new AbortController();
			this.sleepingUntil = this.clock.monotonic() + wait;
			// At least a millisecond, so that rounding cannot turn this into a busy loop.
			await this.clock.sleep(Math.max(1, wait), this.sleepAbort.signal);
			this.sleepAbort = undefined;
		}
		this.settleExpired();
		if (this.waiters.size === 0 || this.isSweeping) return;
		if (this.times.next(this.waiters) <= this.clock.monotonic()) void this.sweepAll();
	}

	private untilNextStep(): number {
		const now = this.clock.monotonic();
		// The end of the sweep cuts the sleep short, but each leaves a timer of n8n's behind, so none is longer than it must.
		const { maxIntervalMs } = this.tuning;
		const next = this.isSweeping ? now + maxIntervalMs : this.times.next(this.waiters);
		return Math.min(next, this.times.deadline(this.waiters)) - now;
	}

	private settleExpired(): void {
		const now = this.clock.monotonic();
		for (const waiter of [...this.waiters]) {
			if (!this.times.isExpired(waiter, now, this.isSweeping)) continue;
			waiter.settle(fail({ kind: 'deadline', waitedMs: now - waiter.startedAt }, waiter.job));
		}
	}

	private async sweepAll(onBehalfOf?: Channel): Promise<void> {
		this.isSweeping = true;
		let isAnswered = false;
		try {
			isAnswered = await this.sweep.run(this.waiters, onBehalfOf);
		} catch {
			// Counts as a sweep without a response. The next one may succeed.
		} finally {
			this.isSweeping = false;
			this.times.swept(this.waiters, this.clock.monotonic(), isAnswered);
			this.wake();
			this.onSwept();
		}
	}
}
