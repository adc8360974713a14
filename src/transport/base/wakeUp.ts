import type { Clock } from './types';

/** Calls once at the earliest of the times that it is set to. A time later than the one it is set to changes nothing. */
export class WakeUp {
	/** On the monotonic clock; `Infinity` while it is not set. */
	private at = Infinity;

	constructor(
		private readonly clock: Clock,
		private readonly ring: () => void,
	) {}

	set(at: number): void {
		if (at >= this.at) return;
		this.at = at;
		void this.ringAt(at);
	}

	/** Whatever the clock or the ring throws, the alarm can be set again. */
	private async ringAt(at: number): Promise<void> {
		try {
			await this.clock.sleep(Math.max(1, at - this.clock.monotonic()));
		} finally {
			if (this.at === at) this.at = Infinity;
			this.ring();
		}
	}
}
