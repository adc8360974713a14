import type { Clock } from './types';

/**
 * How many items go on at once where thousands could: what each does then takes a tenth of a
 * millisecond.
 */
export const PORTION = 100;

/**
 * Lets n8n do something else before the next portion. The first sleep begins before the portion
 * does its work and is over when that is done; Node 20 runs a timer that is due by then in the same
 * turn of the event loop. The second begins after the work.
 */
export async function yieldToEventLoop(clock: Pick<Clock, 'sleep'>): Promise<void> {
	await clock.sleep(1);
	await clock.sleep(1);
}

/** Runs tasks in portions: the next one begins when all of the one before have ended and n8n has had its turn. */
export class Portions {
	/** Of the current portion. */
	private begun = 0;

	/** Of the current portion. */
	private running = 0;

	private readonly waiting: Array<() => void> = [];

	async run<T>(clock: Pick<Clock, 'sleep'>, task: () => Promise<T>): Promise<T> {
		if (this.begun < PORTION) {
			this.begun += 1;
			this.running += 1;
		} else await new Promise<void>((resolve) => this.waiting.push(resolve));
		try {
			return await task();
		} finally {
			this.running -= 1;
			if (this.running === 0) void this.beginNext(clock);
		}
	}

	private async beginNext(clock: Pick<Clock, 'sleep'>): Promise<void> {
		// Until then the portion counts as full, so that nobody overtakes those who wait.
		if (this.waiting.length > 0) await yieldToEventLoop(clock);
		const next = this.waiting.splice(0, PORTION);
		this.begun = next.length;
		this.running = next.length;
		for (const begin of next) begin();
	}
}
