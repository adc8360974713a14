import { WakeUp } from '../base/wakeUp';
import { AdaptiveRate } from './adaptiveRate';
import { Pacer } from './pacer';
import { POLICIES, type Tuning } from './policies';
import { SharedUse } from './sharedUse';
import { SlidingWindow } from './slidingWindow';
import { WaitQueue } from '../base/waitQueue';
import type { Clock, Channel } from '../base/types';

/** What the request rate is counted by. */
export const MINUTE_MS = 60_000;

/**
 * Limits the requests per minute of a workspace. One instance per workspace and process, shared by
 * all items, nodes and executions, so that together they stay within the limit (specification:
 * Limits, Request rate).
 */
export class RateLimiter {
	private readonly queue = new WaitQueue<true>();

	private readonly window: SlidingWindow;

	private readonly rate: AdaptiveRate;

	private readonly pacer: Pacer;

	private pausedUntil = -Infinity;

	/** Whether a request went out after the last refusal: those that were in flight then are refused together. */
	private hasSentSince = false;

	/** Serves the queue again when the window has room or a pause ends. */
	private readonly wakeUp: WakeUp;

	constructor(
		private readonly clock: Clock,
		requestsPerMinute: number,
		private readonly sharedUse = new SharedUse(),
		tuning: Tuning['rate'] = POLICIES.rate,
	) {
		this.rate = new AdaptiveRate(requestsPerMinute, tuning);
		this.pacer = new Pacer(tuning);
		this.window = new SlidingWindow(tuning.windowMs);
		this.wakeUp = new WakeUp(clock, () => this.serveQueue());
	}

	set limit(requestsPerMinute: number) {
		this.rate.limit = Math.max(1, requestsPerMinute);
	}

	/** The limit at the moment: the configured one, or less if other clients use the workspace. */
	get requestsPerMinute(): number {
		return this.limitAt(this.clock.monotonic());
	}

	/**
	 * Requests a minute for the next `ms`, after which this process has nothing more to send. With
	 * other clients, it is worth to spend until then what the minute has left, because nobody else
	 * knows of it. Alone, the next run is to find it: the steady rate.
	 */
	requestsPerMinuteFor(ms: number): number {
		const now = this.clock.monotonic();
		const limit = this.limitAt(now);
		if (ms >= MINUTE_MS || this.sharedUse.shareAt(now) === 1) return limit;
		return (Math.max(0, limit - this.window.stillUsed(now + ms)) * MINUTE_MS) / ms;
	}

	/** The configured limit. */
	get limit(): number {
		return this.rate.limit;
	}

	/**
	 * Waits until a request may be sent. `false` if the channel was cancelled: then nothing may be
	 * sent.
	 */
	async acquire(channel: Channel): Promise<boolean> {
		const pending = this.queue.wait(channel);
		this.serveQueue();
		return (await pending) ?? false;
	}

	/** To be called after every acquired request, whether it got a response or not. */
	release(): void {
		this.window.release(this.clock.monotonic());
		this.serveQueue();
	}

	/**
	 * The service answered 429 because of the request rate: all requests pause, and the limit falls.
	 */
	throttled(waitMs: number): void {
		const now = this.clock.monotonic();
		this.pausedUntil = Math.max(this.pausedUntil, now + waitMs);
		const used = this.window.used(now);
		if (this.hasSentSince) this.rate.throttled(now, used);
		this.hasSentSince = false;
		// Where others are seen, it is they who take from the minute.
		if (this.sharedUse.shareAt(now) === 1) this.pacer.throttled(now, used);
	}

	/**
	 * The service answered 429 to a creation, which may be about the request rate or the job slots.
	 * @returns whether the rate is a likely reason
	 */
	creationRefused(): boolean {
		const now = this.clock.monotonic();
		if (!this.pacer.isBeyondBurst(now, this.limitAt(now))) return false;
		this.pacer.throttled(now, this.window.used(now));
		return true;
	}

	private limitAt(now: number): number {
		const share = Math.floor(this.rate.limit * this.sharedUse.shareAt(now));
		return Math.max(1, Math.min(this.rate.at(now), share));
	}

	private serveQueue(): void {
		const now = this.clock.monotonic();
		const limit = this.limitAt(now);
		while (
			this.queue.size > 0 &&
			now >= this.earliest(now, limit) &&
			this.window.tryAcquire(now, limit)
		) {
			this.hasSentSince = true;
			this.pacer.sent(now, limit);
			this.queue.grant(true);
		}
		if (this.queue.size === 0) return;
		const earliest = this.earliest(now, limit);
		const free = now < earliest ? earliest : this.window.nextFree(now, limit);
		if (free !== undefined) this.wakeUp.set(free);
	}

	/** Before this no request goes out, whatever the window holds. */
	private earliest(now: number, limit: number): number {
		return Math.max(this.pausedUntil, this.pacer.nextFree(now, limit));
	}
}
