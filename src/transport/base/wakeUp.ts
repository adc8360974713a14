import type { Clock } from './types';

/** A timer that calls back once, at the earliest of the times it was set to since it last did. */
export class WakeUp {
	/** On the monotonic clock; `Infinity` while no call is due. */
	private at = Infinity;
	private timer = new AbortController();

	constructor(
		private readonly clock: Clock,
		private readonly onWake: () => void,
	) {}

	set(at: number): void {
		if (at >= this.at) return;
		this.clear();
		this.at = at;
		void this.sleepUntil(at, this.timer.signal);
	}

	clear(): void {
		if (this.at === Infinity) return;
		this.at = Infinity;
		this.timer.abort();
		this.timer = new AbortController();
	}

	/** At least a millisecond, so that what begins in the same tick is served together. */
	private async sleepUntil(at: number, signal: AbortSignal): Promise<void> {
		await this.clock.sleep(Math.max(1, at - this.clock.monotonic()), signal);
		if (signal.aborted) return;
		this.at = Infinity;
		this.onWake();
	}
}
