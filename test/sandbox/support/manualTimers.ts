import type { Timers } from '../../../src/sandbox/state/clock';

interface Timer {
	due: number;
	run: () => void;
}

/** Time that stands still until it is told to pass. */
export class ManualTimers implements Timers {
	private readonly timers = new Set<Timer>();

	constructor(private time = Date.parse('2026-01-01T00:00:00.000Z')) {}

	now(): number {
		return this.time;
	}

	set(run: () => void, milliseconds: number): unknown {
		const timer = { due: this.time + milliseconds, run };
		this.timers.add(timer);
		return timer;
	}

	clear(handle: unknown): void {
		this.timers.delete(handle as Timer);
	}

	/** Lets so many seconds pass; whatever falls due in them runs in order, at its own instant. */
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
