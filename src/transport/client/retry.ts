import { retryAfterMs } from './retryAfter';
import { isNoResponse, type SendResult, type Random } from '../base/types';

/** Statuses of a server that may do better a moment later. The specification shows none of them (Errors 6). */
const PASSING = new Set([408, 500, 502, 503, 504]);

/**
 * Tries in all, the first one included. What is paid for does not depend on them: a later run of the node finds the job of a lost
 * answer by its key. A row with Continue On Fail has no later run, so these are all that it has: with a quarter of all answers lost,
 * seven leave one row in 16,000 without its job, five one in a thousand.
 */
const TRIES = { passing: 7, limited: 8, unreachable: 5 };

/** Upper ends of the jitter, in milliseconds: the first is doubled with each try up to the second. */
const BACKOFF = {
	passing: [1_000, 20_000],
	limited: [2_000, 60_000],
	unreachable: [1_000, 8_000],
} as const;

/** Two tries are never closer than this, in milliseconds, however the dice fall. */
const SHORTEST_MS = 100;

export interface Try {
	/** Tries made so far, 1 after the first. */
	attempt: number;
	/** Whether a repeat is the same act: every method but POST, and a POST with an idempotency key. */
	replayable: boolean;
	now: number;
	random: Random;
}

/** Whether an unsuccessful answer leaves open that the service has done what was asked. */
export function isOutcomeUnknown(answer: SendResult): boolean {
	if (isNoResponse(answer)) return answer.unsent === undefined;
	return PASSING.has(answer.status) || (answer.status >= 200 && answer.status < 300);
}

/** What kind of fault an answer is, as far as another try may help; `undefined` where none can. */
function kindOf(answer: SendResult, replayable: boolean): keyof typeof TRIES | undefined {
	if (isNoResponse(answer) && answer.unsent) {
		return answer.unsent === 'connection' ? 'unreachable' : undefined;
	}
	if (!isNoResponse(answer) && answer.status === 429) return 'limited';
	return isOutcomeUnknown(answer) && replayable ? 'passing' : undefined;
}

function jittered([first, most]: readonly [number, number], { attempt, random }: Try): number {
	return Math.max(SHORTEST_MS, random() * Math.min(most, first * 2 ** (attempt - 1)));
}

/**
 * The ladder: again or not, and when. Milliseconds until the next try, or `undefined` for no further one.
 * 1. Limited (429): again, whatever the method, as nothing was done.
 * 2. Unreachable (no connection was made): again, whatever the method, as nothing was sent; fewer times, because it is often a
 *    wrong address.
 * 3. Unclear (no answer, unusable answer, a passing server fault): again where a repeat is the same act.
 * 4. Anything else is final: one request tells. So is what failed on this machine before it was sent.
 * A server's hint replaces the dice, with a little jitter on top so that waiters do not return in one herd.
 * Full jitter: of the usual schemes it needs the fewest calls for the same contention.
 */
export function retryDelay(answer: SendResult, made: Try): number | undefined {
	const kind = kindOf(answer, made.replayable);
	if (!kind || made.attempt >= TRIES[kind]) return undefined;
	const hint = isNoResponse(answer) ? undefined : retryAfterMs(answer.headers, made.now);
	if (hint !== undefined) return Math.max(SHORTEST_MS, hint) + made.random() * 1_000;
	return jittered(BACKOFF[kind], made);
}
