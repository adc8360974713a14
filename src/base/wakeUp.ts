import type { Clock } from './types';

/** Calls back once, at the earliest of the times that were set since the last call. */
export class WakeUp {
	/** When the next call is due, on the monotonic clock; `Infinity` if none is. */
	private at = Infinity;

	/** @param onFault what becomes of those that wait if `onWake` throws, because nobody calls it then */
	constructor(
		private readonly clock: Clock,
		private readonly onWake: () => void,
		private readonly onFault: (fault: unknown) => void,
	) {}

	set(at: number): void {
		if (at >= this.at) return;
		this.at = at;
		void this.sleepUntil(at);
	}

	/**
	 * It sleeps for at least a millisecond, so that all that begins in one turn of the event loop is served
	 * together.
	 */
	private async sleepUntil(at: number): Promise<void> {
		await this.clock.sleep(Math.max(1, at - this.clock.monotonic()));
		// Meanwhile an earlier time was set.
		if (this.at !== at) return;
		this.at = Infinity;
		try {
			this.onWake();
		} catch (fault) {
			this.onFault(fault);
		}
	}
}
