import type { Timers } from '../../../sandbox/clock';

interface Timer {
	due: number;
	run: () => void;
}

/** Time that stands still until a test advances it. */
export class ManualTimers implements Timers {
	private readonly timers = new Set<Timer>();

	constructor(private time = Date.parse('2026-01-01T00:00:00.000Z')) {}

	now(): number {
		return this.time;
	}

	/** How many are still to run. */
	get pending(): number {
		return this.timers.size;
	}

	set(run: () => void, milliseconds: number): unknown {
		const timer = { due: this.time + milliseconds, run };
		this.timers.add(timer);
		return timer;
	}

	clear(handle: unknown): void {
		this.timers.delete(handle as Timer);
	}

	/** Lets seconds pass; timers that fall due run in order, each at its own time. */
	pass(seconds: number): void {
		const end = this.time + seconds * 1000;
		for (;;) {
			const next = [...this.timers].sort((a, b) => a.due - b.due)[0];
			if (!next || next.due > end) break;
			this.timers.delete(next);
			this.time = Math.max(this.time, next.due);
			next.run();
		}
		this.time = end;
	}
}
