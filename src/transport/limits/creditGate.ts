import type { Clock, Channel } from '../base/types';
import { POLICIES } from './policies';

const { probeMs } = POLICIES.credits;

/**
 * Whether a workspace has credits, as far as its responses show. The fields of GET /credits are not
 * documented (specification: Other response bodies), so the only proof is a creation that succeeds.
 * While credits are missing, all items that wait for a top-up share one attempt every 20 seconds;
 * when one succeeds, all go on.
 */
export class CreditGate {
	/** On the monotonic clock; `undefined` while credits are not known to be missing. */
	private nextProbeAt: number | undefined;

	private topUp = new AbortController();

	constructor(private readonly clock: Clock) {}

	markEmpty(): void {
		this.nextProbeAt ??= this.clock.monotonic() + probeMs;
	}

	markAvailable(): void {
		if (this.nextProbeAt === undefined) return;
		this.nextProbeAt = undefined;
		this.topUp.abort();
		this.topUp = new AbortController();
	}

	/**
	 * Waits until this channel may try.
	 * @param deadline on the monotonic clock
	 * @returns `false` if it was cancelled or the deadline has passed
	 */
	async mayTry({ signal }: Channel, deadline: number): Promise<boolean> {
		while (this.nextProbeAt !== undefined) {
			const now = this.clock.monotonic();
			if (signal?.aborted || now >= deadline) return false;
			if (now >= this.nextProbeAt) {
				this.nextProbeAt = now + probeMs;
				return true;
			}
			const wait = Math.min(this.nextProbeAt, deadline) - now;
			const topUp = this.topUp.signal;
			await this.clock.sleep(wait, signal ? AbortSignal.any([signal, topUp]) : topUp);
		}
		return !signal?.aborted;
	}
}
