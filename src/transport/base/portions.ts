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
