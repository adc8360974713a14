import { FairQueue } from './fairQueue';
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

	private readonly window: RateWindow;

	private pausedUntil = 0;

	/** When the gate looks again by itself; `Infinity` while nobody has to be woken. */
	private wakeAt = Infinity;

	constructor(
		private readonly clock: Clock,
		requestsPerMinute: number,
	) {
		this.window = new RateWindow(requestsPerMinute, WINDOW_MS);
	}

	set requestsPerMinute(limit: number) {
		this.window.limit = Math.max(1, limit);
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

	/** The service said 429 to a request that needs no slot: everybody waits, not only the one who asked. */
	pause(ms: number): void {
		this.pausedUntil = Math.max(this.pausedUntil, this.clock.now() + ms);
	}

	private pump(): void {
		const now = this.clock.now();
		while (this.queue.size > 0 && now >= this.pausedUntil && this.window.tryEnter(now)) {
			this.queue.shift()?.admit(true);
		}
		if (this.queue.size === 0) return;
		const free = now < this.pausedUntil ? this.pausedUntil : this.window.nextFree(now);
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
