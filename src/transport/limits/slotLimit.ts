import type { Clock } from '../base/types';
import { POLICIES, type Tuning } from './policies';

/**
 * How many jobs the service runs for the whole workspace at a time, where that is fewer than
 * configured: a plan may have fewer slots than the credential says. A creation that is refused while
 * slots seem to be free shows it, unless the request rate is the likelier reason. If another is
 * refused while fewer jobs run than that, it was the rate after all.
 */
export class SlotLimit {
	private learned = Infinity;

	/** Jobs that ran when the service last refused one for want of slots, by this reckoning. */
	private atRefusal = Infinity;

	/** When one more job is to be tried, on the monotonic clock; `Infinity` while nothing is learned. */
	probeAt = Infinity;

	private probeDelay: number;

	/** Until when such a refusal counts as one of the request rate, on the monotonic clock. */
	private doubtedUntil = -Infinity;

	constructor(
		private readonly clock: Clock,
		private readonly tuning: Tuning = POLICIES,
	) {
		this.probeDelay = tuning.rate.windowMs;
	}

	of(configured: number): number {
		return Math.min(configured, this.learned);
	}

	/** At least that number of jobs runs in the workspace. */
	seen(running: number, configured: number): void {
		if (running <= this.learned) return;
		this.probeDelay = this.tuning.rate.windowMs;
		if (running < configured) this.learned = running;
		else this.forget();
	}

	/**
	 * A creation was refused. The first probe comes when no request of before counts any more, so that
	 * it shows whether the rate was the reason.
	 */
	refused(): void {
		const now = this.clock.monotonic();
		if (now >= this.probeAt) this.postponeProbe(now);
	}

	/**
	 * A creation was refused while that number of jobs ran, fewer than configured.
	 * @returns whether slots were the reason, and not the request rate
	 */
	explains(running: number, isRateLikely: boolean): boolean {
		if (running >= this.learned) return true;
		const now = this.clock.monotonic();
		if (isRateLikely || running === 0 || now < this.doubtedUntil) return false;
		if (this.atRefusal < Infinity && running < this.atRefusal) {
			this.forget();
			this.doubtedUntil = now + this.tuning.concurrency.doubtMs;
			return false;
		}
		this.learned = this.atRefusal = running;
		this.postponeProbe(now);
		return true;
	}

	private forget(): void {
		this.learned = this.atRefusal = this.probeAt = Infinity;
	}

	private postponeProbe(now: number): void {
		this.probeAt = now + this.probeDelay;
		this.probeDelay = Math.min(this.tuning.concurrency.doubtMs, this.probeDelay * 2);
	}
}
