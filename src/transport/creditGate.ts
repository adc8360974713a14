import type { Clock, Channel } from '../base/types';
import { WaitQueue } from '../base/waitQueue';
import { WakeUp } from '../base/wakeUp';

const TRY_EVERY_MS = 20_000;

/** How often the queues are looked at while somebody waits in them. */
const RECHECK_MS = 1_000;

/**
 * Whether a workspace has credits: a circuit breaker, which a 402 opens. The fields of GET /credits are
 * not documented (specification: Other response bodies), so the only proof is a creation that succeeds.
 * From the first 402 on, all creations that wait for a top-up share one attempt every 20 seconds.
 *
 * 1. Creations that were not refused yet go first: they may be cheaper than those that were.
 * 2. A success of one that had been refused shows a top-up: all go on. Any other may have been
 *    cheaper: after it, one more is tried at once.
 * 3. A wait ends without credits at its deadline, but not before an attempt of its own.
 */
export class CreditGate {
	/** On the monotonic clock; `undefined` while credits are not known to be missing. */
	private nextTryAt: number | undefined;
	private readonly untried = new WaitQueue(false);
	private readonly refusedBefore = new WaitQueue(false);
	private readonly wakeUp: WakeUp;

	constructor(private readonly clock: Clock) {
		this.wakeUp = new WakeUp(clock, () => this.serve());
	}

	/**
	 * @param wasRefused whether the same creation has been refused with 402
	 * @returns whether this channel may try: not if it was cancelled, or was refused and the deadline
	 * (on the monotonic clock) has passed
	 */
	mayTry(channel: Channel, deadline: number, wasRefused = false): Promise<boolean> {
		if (this.nextTryAt === undefined) return Promise.resolve(!channel.signal?.aborted);
		const now = this.clock.monotonic();
		const queue = wasRefused ? this.refusedBefore : this.untried;
		const pending = queue.wait(channel, now, deadline - now);
		this.wakeUp.set(now + RECHECK_MS);
		return pending;
	}

	get lacksCredits(): boolean {
		return this.nextTryAt !== undefined;
	}

	refused(): void {
		this.nextTryAt ??= this.clock.monotonic() + TRY_EVERY_MS;
	}

	/** A creation succeeded. @param wasRefusedBefore whether the same had been refused with 402 */
	succeeded(wasRefusedBefore: boolean): void {
		if (this.nextTryAt === undefined) return;
		this.nextTryAt = wasRefusedBefore ? undefined : this.clock.monotonic();
		this.serve();
	}

	private get waiting(): number {
		return this.untried.size + this.refusedBefore.size;
	}

	private serve(): void {
		const now = this.clock.monotonic();
		this.refusedBefore.expire(
			({ since, timeoutMs }) => now >= since + timeoutMs,
			() => false,
		);
		while (this.waiting > 0 && now >= (this.nextTryAt ?? now)) {
			if (this.nextTryAt !== undefined) this.nextTryAt = now + TRY_EVERY_MS;
			const queue = this.untried.size > 0 ? this.untried : this.refusedBefore;
			queue.grant(true);
		}
		if (this.waiting > 0) this.wakeUp.set(now + RECHECK_MS);
	}
}
