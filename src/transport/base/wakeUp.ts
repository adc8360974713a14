import type { Clock } from './types';

/** A coalescing timer: calls back once, at the earliest of the times it was set to. */
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
		void this.wakeAt(at);
	}

	/** Can be set again even if the clock or the callback throws. */
	private async wakeAt(at: number): Promise<void> {
		try {
			await this.clock.sleep(Math.max(1, at - this.clock.monotonic()));
		} finally {
			if (this.at === at) this.at = Infinity;
			this.onWake();
		}
	}
}
