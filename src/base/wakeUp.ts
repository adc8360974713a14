import type { Clock } from './types';

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
