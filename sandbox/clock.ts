/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not published */
/** The host's time: wall-clock milliseconds and one-shot timers. Tests inject their own. */
export interface Timers {
	now(): number;
	set(run: () => void, milliseconds: number): unknown;
	clear(handle: unknown): void;
}

export const realTimers: Timers = {
	now: () => Date.now(),
	set: (run, milliseconds) => setTimeout(run, milliseconds),
	clear: (handle) => clearTimeout(handle as NodeJS.Timeout),
};

interface Pending {
	due: number;
	run: () => void;
	handle: unknown;
}

/** The longest delay that a Node timer takes; longer ones are set again. */
const LONGEST_TIMER = 2_147_483_647;

/**
 * The service's clock. Instants are wall-clock time, so that dates shown to a client and webhook
 * timestamps are true; durations are service seconds and pass `scale` times as fast as real ones.
 */
export class Clock {
	private readonly pending = new Set<Pending>();
	private stopped = false;

	constructor(
		/** How many times as fast as real time the service's passes. */
		public scale = 1,
		/** The host's own time, for what is no quicker where the service's is. */
		readonly timers: Timers = realTimers,
	) {}

	/** Milliseconds since 1970, wall clock. */
	now(): number {
		return this.timers.now();
	}

	/** Real milliseconds that a number of service seconds takes. */
	milliseconds(serviceSeconds: number): number {
		return (serviceSeconds * 1000) / this.scale;
	}

	/** The instant a number of service seconds ahead. */
	ahead(serviceSeconds: number): number {
		return this.now() + this.milliseconds(serviceSeconds);
	}

	/** Runs a function at an instant. */
	at(instant: number, run: () => void): void {
		if (this.stopped) return;
		const entry: Pending = { due: instant, run, handle: undefined };
		this.pending.add(entry);
		this.arm(entry);
	}

	/** Resolves after a number of service seconds. */
	async sleep(serviceSeconds: number): Promise<void> {
		await new Promise<void>((resolve) => this.at(this.ahead(serviceSeconds), resolve));
	}

	/** Sets a new scale; what is pending keeps its remaining service time. */
	rescale(scale: number): void {
		const now = this.now();
		for (const entry of this.pending) {
			entry.due = now + (Math.max(0, entry.due - now) * this.scale) / scale;
			this.timers.clear(entry.handle);
		}
		this.scale = scale;
		for (const entry of this.pending) this.arm(entry);
	}

	/** Forgets everything that is pending and takes nothing new. */
	stop(): void {
		this.stopped = true;
		for (const { handle } of this.pending) this.timers.clear(handle);
		this.pending.clear();
	}

	private arm(entry: Pending): void {
		const delay = Math.min(Math.max(0, entry.due - this.now()), LONGEST_TIMER);
		entry.handle = this.timers.set(() => {
			if (entry.due > this.now() + 1) return this.arm(entry);
			this.pending.delete(entry);
			entry.run();
		}, delay);
	}
}
