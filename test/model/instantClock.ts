import type { Clock } from '../../src/base/types';

/** Time for one who acts alone: a sleep is over at once, and the clock has moved. */
export class InstantClock implements Clock {
	/** What the wall clock is ahead of the monotonic one. */
	private ahead = 0;

	constructor(private time = Date.parse('2026-01-01T00:00:00.000Z')) {}

	now(): number {
		return this.time + this.ahead;
	}

	monotonic(): number {
		return this.time;
	}

	async sleep(ms: number): Promise<void> {
		if (ms > 0) this.time += ms;
	}

	pass(ms: number): void {
		this.time += ms;
	}

	/** Sets the wall clock forward, or back by a negative time. No time passes. */
	setWall(byMs: number): void {
		this.ahead += byMs;
	}
}
