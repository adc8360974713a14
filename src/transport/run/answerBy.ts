import { onAbort } from '../base/abortListeners';
import { fail, type Failed } from '../base/result';
import type { Clock } from '../base/types';
import type { Item } from './item';

/** The shortest wait for a job, in ms: one poll. */
const MIN_WAIT_MS = 1_000;

type Wait<T> = (signal: AbortSignal | undefined) => Promise<T>;

/**
 * A wait that ends when the signal fires and, for a tool call, when the agent wants its answer:
 * what holds the call up before its job exists counts like the wait for the job. Not `async`:
 * thousands of items may wait here.
 */
export const untilAnswer = <T>(
	{ workspace, answerBy }: Item,
	signal: AbortSignal | undefined,
	wait: Wait<T>,
): Promise<T> =>
	answerBy === undefined ? wait(signal) : waitUntil(workspace.clock, answerBy, signal, wait);

async function waitUntil<T>(
	clock: Clock,
	answerBy: number,
	signal: AbortSignal | undefined,
	wait: Wait<T>,
): Promise<T> {
	const [stop, timer] = [new AbortController(), new AbortController()];
	if (signal?.aborted) stop.abort();
	const dispose = onAbort(signal, () => stop.abort());
	void clock.sleep(answerBy - clock.monotonic(), timer.signal).then(() => {
		if (!timer.signal.aborted) stop.abort();
	});
	try {
		return await wait(stop.signal);
	} finally {
		timer.abort();
		dispose();
	}
}

/** Why a tool call ends before its request was sent; `undefined` while there is time. */
export const outOfTime = ({ workspace: { clock }, answerBy }: Item): Failed | undefined =>
	answerBy !== undefined && clock.monotonic() >= answerBy ? fail({ kind: 'busy' }) : undefined;

/** How long an item may wait for its job, in ms. */
export const jobWaitMs = ({ workspace, settings, answerBy }: Item): number =>
	answerBy === undefined
		? settings.waitTimeoutMs
		: Math.max(MIN_WAIT_MS, answerBy - workspace.clock.monotonic());
