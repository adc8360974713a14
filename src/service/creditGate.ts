import type { Clock, Channel } from '../base/types';
import { WaitQueue, WakeUp } from '../base/waiting';

const TRY_EVERY_MS = 20_000;

const TICK_MS = 1_000;

/**
 * Whether a workspace has credits. The fields of GET /credits are not documented (specification:
 * Other response bodies), so the only proof is a creation that succeeds. From the first 402 on, all
 * creations that wait for a top-up share one attempt every 20 seconds. All go on when one succeeds
 * that was refused before. Any other may be cheaper: after it, one more is tried at once.
 */
export class CreditGate {
	/** On the monotonic clock; `undefined` while credits are not known to be missing. */
	private nextTryAt: number | undefined;
	private readonly queue = new WaitQueue(false);
	private readonly wakeUp: WakeUp;

	constructor(private readonly clock: Clock) {
		this.wakeUp = new WakeUp(clock, () => this.serve());
	}

	/** @returns whether this channel may try: not if it was cancelled or the deadline has passed */
	mayTry(channel: Channel, deadline: number): Promise<boolean> {
		if (this.nextTryAt === undefined) return Promise.resolve(!channel.signal?.aborted);
		const now = this.clock.monotonic();
		const pending = this.queue.wait(channel, now, deadline - now);
		this.wakeUp.set(now + TICK_MS);
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

	private serve(): void {
		const now = this.clock.monotonic();
		this.queue.expire(
			({ since, timeoutMs }) => now >= since + timeoutMs,
			() => false,
		);
		while (this.queue.size > 0 && now >= (this.nextTryAt ?? now)) {
			if (this.nextTryAt !== undefined) this.nextTryAt = now + TRY_EVERY_MS;
			this.queue.grant(true);
		}
		if (this.queue.size > 0) this.wakeUp.set(now + TICK_MS);
	}
}
