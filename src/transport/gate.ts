import { FairQueue } from './fairQueue';
import { RateLimit } from './rateLimit';
import { RateWindow } from './rateWindow';
import type { Clock, Line } from './types';

/** A little more than the service's minute, because its clock and ours do not tick together. */
const WINDOW_MS = 60_250;

interface Waiter {
	admit: (admitted: boolean) => void;
}

/**
 * May a request go now? One gate for each workspace in a process, shared by all items, nodes and executions, so that
 * together they stay within the plan's requests a minute (specification: Limits, Request rate).
 */
export class Gate {
	private readonly queue = new FairQueue<Waiter>();

	private readonly window = new RateWindow(WINDOW_MS);

	private readonly limit: RateLimit;

	private pausedUntil = 0;

	/** When the gate looks again by itself; `Infinity` while nobody has to be woken. */
	private wakeAt = Infinity;

	constructor(
		private readonly clock: Clock,
		requestsPerMinute: number,
	) {
		this.limit = new RateLimit(requestsPerMinute);
	}

	set plan(requestsPerMinute: number) {
		this.limit.plan = Math.max(1, requestsPerMinute);
	}

	/** What may be sent a minute now, in requests: the plan's, or less where others use the workspace. */
	get requestsPerMinute(): number {
		return this.limit.at(this.clock.now());
	}

	/** Waits for a turn. `false` when the line was cancelled meanwhile: then nothing may be sent. */
	async enter({ owner, signal }: Line): Promise<boolean> {
		if (signal?.aborted) return false;
		return await new Promise<boolean>((resolve) => {
			const onAbort = () => {
				if (this.queue.remove(owner, waiter)) resolve(false);
			};
			const waiter: Waiter = {
				admit: (admitted) => {
					signal?.removeEventListener('abort', onAbort);
					resolve(admitted);
				},
			};
			signal?.addEventListener('abort', onAbort, { once: true });
			this.queue.push(owner, waiter);
			this.pump();
		});
	}

	/** Every admitted request leaves again, answered or not. */
	leave(): void {
		this.window.leave(this.clock.now());
		this.pump();
	}

	/** The service said 429 to a request that needs no slot: everybody waits, and sends less from then on. */
	refused(waitMs: number): void {
		const now = this.clock.now();
		this.pausedUntil = Math.max(this.pausedUntil, now + waitMs);
		this.limit.refused(now, this.window.used(now));
	}

	private pump(): void {
		const now = this.clock.now();
		const limit = this.limit.at(now);
		while (this.queue.size > 0 && now >= this.pausedUntil && this.window.tryEnter(now, limit)) {
			this.queue.shift()?.admit(true);
		}
		if (this.queue.size === 0) return;
		const free = now < this.pausedUntil ? this.pausedUntil : this.window.nextFree(now, limit);
		if (free !== undefined) this.wake(free);
	}

	private wake(at: number): void {
		if (at >= this.wakeAt) return;
		this.wakeAt = at;
		void this.clock.sleep(Math.max(1, at - this.clock.now())).then(() => {
			if (this.wakeAt === at) this.wakeAt = Infinity;
			this.pump();
		});
	}
}
