import { WakeUp } from '../base/wakeUp';
import { AdaptiveRate } from './adaptiveRate';
import { SlidingWindow } from './slidingWindow';
import { WaitQueue } from '../base/waitQueue';
import type { Clock, Channel } from '../base/types';

/** A little more than the service's minute, because its clock and ours do not tick together. */
const WINDOW_MS = 60_250;

/**
 * May a request go now? One gate for each workspace in a process, shared by all items, nodes and executions, so that
 * together they stay within the plan's requests a minute (specification: Limits, Request rate).
 */
export class RateLimiter {
	private readonly queue = new WaitQueue<true>();

	private readonly window = new SlidingWindow(WINDOW_MS);

	private readonly rate: AdaptiveRate;

	private pausedUntil = -Infinity;

	/** Lets the gate look again by itself. */
	private readonly wakeUp: WakeUp;

	constructor(
		private readonly clock: Clock,
		requestsPerMinute: number,
	) {
		this.rate = new AdaptiveRate(requestsPerMinute);
		this.wakeUp = new WakeUp(clock, () => this.pump());
	}

	set plan(requestsPerMinute: number) {
		this.rate.plan = Math.max(1, requestsPerMinute);
	}

	/** What may be sent a minute now, in requests: the plan's, or less where others use the workspace. */
	get requestsPerMinute(): number {
		return this.rate.at(this.clock.monotonic());
	}

	/** Waits for a turn. `false` when the line was cancelled meanwhile: then nothing may be sent. */
	async acquire(channel: Channel): Promise<boolean> {
		const turn = this.queue.wait(channel);
		this.pump();
		return (await turn) ?? false;
	}

	/** Every admitted request leaves again, answered or not. */
	release(): void {
		this.window.release(this.clock.monotonic());
		this.pump();
	}

	/** The service said 429 to a request that needs no slot: everybody waits, and sends less from then on. */
	throttled(waitMs: number): void {
		const now = this.clock.monotonic();
		this.pausedUntil = Math.max(this.pausedUntil, now + waitMs);
		this.rate.throttled(now, this.window.used(now));
	}

	private pump(): void {
		const now = this.clock.monotonic();
		const limit = this.rate.at(now);
		while (this.queue.size > 0 && now >= this.pausedUntil && this.window.tryAcquire(now, limit)) {
			this.queue.give(true);
		}
		if (this.queue.size === 0) return;
		const free = now < this.pausedUntil ? this.pausedUntil : this.window.nextFree(now, limit);
		if (free !== undefined) this.wakeUp.set(free);
	}
}
