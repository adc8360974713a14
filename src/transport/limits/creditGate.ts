import type { Clock, Channel } from '../base/types';

/** Time between two tries while the credits of a workspace have run out, in milliseconds. */
const PROBE_MS = 20_000;

/**
 * Whether a workspace has credits, as far as its answers tell: the fields of GET /credits are not shown (specification: Other
 * response bodies), so the only proof is that a creation succeeds. While they have run out, all items that wait for a
 * top-up share one try every 20 seconds; when one succeeds, all go on.
 */
export class CreditGate {
	private nextProbe: number | undefined;

	private refill = new AbortController();

	constructor(private readonly clock: Clock) {}

	markEmpty(): void {
		this.nextProbe ??= this.clock.monotonic() + PROBE_MS;
	}

	markAvailable(): void {
		if (this.nextProbe === undefined) return;
		this.nextProbe = undefined;
		this.refill.abort();
		this.refill = new AbortController();
	}

	/** Waits until this one may try. `false` when it was cancelled or the deadline has come (on the monotonic clock). */
	async mayTry({ signal }: Channel, deadline: number): Promise<boolean> {
		while (this.nextProbe !== undefined) {
			const now = this.clock.monotonic();
			if (signal?.aborted || now >= deadline) return false;
			if (now >= this.nextProbe) {
				this.nextProbe = now + PROBE_MS;
				return true;
			}
			const wait = Math.min(this.nextProbe, deadline) - now;
			await this.clock.sleep(
				wait,
				signal ? AbortSignal.any([signal, this.refill.signal]) : this.refill.signal,
			);
		}
		return !signal?.aborted;
	}
}
