import { Alarm } from '../base/wakeUp';
import { RateLimit } from './adaptiveRate';
import { RateWindow } from './slidingWindow';
import { Turns } from '../base/waitQueue';
import type { Clock, Line } from '../base/types';

/** A little more than the service's minute, because its clock and ours do not tick together. */
const WINDOW_MS = 60_250;

/**
 * May a request go now? One gate for each workspace in a process, shared by all items, nodes and executions, so that
 * together they stay within the plan's requests a minute (specification: Limits, Request rate).
 */
export class Gate {
	private readonly turns = new Turns<true>();

	private readonly window = new RateWindow(WINDOW_MS);

	private readonly limit: RateLimit;

	private pausedUntil = -Infinity;

	/** Lets the gate look again by itself. */
	private readonly alarm: Alarm;

	constructor(
		private readonly clock: Clock,
		requestsPerMinute: number,
	) {
		this.limit = new RateLimit(requestsPerMinute);
		this.alarm = new Alarm(clock, () => this.pump());
	}

	set plan(requestsPerMinute: number) {
		this.limit.plan = Math.max(1, requestsPerMinute);
	}

	/** What may be sent a minute now, in requests: the plan's, or less where others use the workspace. */
	get requestsPerMinute(): number {
		return this.limit.at(this.clock.monotonic());
	}

	/** Waits for a turn. `false` when the line was cancelled meanwhile: then nothing may be sent. */
	async enter(line: Line): Promise<boolean> {
		const turn = this.turns.wait(line);
		this.pump();
		return (await turn) ?? false;
	}

	/** Every admitted request leaves again, answered or not. */
	leave(): void {
		this.window.leave(this.clock.monotonic());
		this.pump();
	}

	/** The service said 429 to a request that needs no slot: everybody waits, and sends less from then on. */
	refused(waitMs: number): void {
		const now = this.clock.monotonic();
		this.pausedUntil = Math.max(this.pausedUntil, now + waitMs);
		this.limit.refused(now, this.window.used(now));
	}

	private pump(): void {
		const now = this.clock.monotonic();
		const limit = this.limit.at(now);
		while (this.turns.size > 0 && now >= this.pausedUntil && this.window.tryEnter(now, limit)) {
			this.turns.give(true);
		}
		if (this.turns.size === 0) return;
		const free = now < this.pausedUntil ? this.pausedUntil : this.window.nextFree(now, limit);
		if (free !== undefined) this.alarm.set(free);
	}
}
