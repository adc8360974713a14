import { POLICIES } from '../limits/policies';
import { retryAfterMs } from './retryAfter';
import { isOutcomeUnknown, meaningOf } from './statuses';
import { isNoResponse, type SendResult, type Random } from '../base/types';

const POLICY = POLICIES.apiCall;

/** What decides whether a request is tried again, besides the response. */
export interface Attempt {
	/** Attempts made so far, 1 after the first. */
	number: number;
	/**
	 * Whether repeating has no further effect: every method but POST, and a POST with an idempotency
	 * key.
	 */
	replayable: boolean;
	/** Whether the outcome of an attempt before this one is unknown. */
	followsUnknown: boolean;
	now: number;
	random: Random;
}

type Kind = 'transient' | 'rateLimited' | 'unreachable';

/** Which retry policy applies to a response; `undefined` if it is final. */
function kindOf(response: SendResult, { replayable, followsUnknown }: Attempt): Kind | undefined {
	if (isNoResponse(response) && response.unsent) {
		return response.unsent === 'connection' ? 'unreachable' : undefined;
	}
	const again = isNoResponse(response) ? 'replayable' : meaningOf(response.status).again;
	if (again === 'always') return 'rateLimited';
	const isBusy = followsUnknown && again === 'open';
	return (isOutcomeUnknown(response) || isBusy) && replayable ? 'transient' : undefined;
}

function jittered(kind: Kind, { number, random }: Attempt): number {
	const { initialMs, maxMs } = POLICY[kind];
	return Math.max(POLICY.minDelayMs, random() * Math.min(maxMs, initialMs * 2 ** (number - 1)));
}

/**
 * Whether to retry, and when: milliseconds until the next attempt, or `undefined` for none.
 * 1. Rate limited (429): retried whatever the method, because nothing was done.
 * 2. Unreachable (no connection was made): retried whatever the method, because nothing was sent;
 *    fewer times,
 *    because the address is often wrong.
 * 3. Outcome unknown (no response, an unusable one, or a transient server error): retried if the
 *    request is
 *    replayable. So is a conflict after it: the service may still be at work on the attempt before.
 * 4. Everything else is final, including what failed on this machine before it was sent. A
 *    `Retry-After` replaces the backoff, plus a little jitter, so that clients do not all return at
 *    once; after a transient fault it is the shortest wait, because a service that is down may
 *    name a moment each time. Full jitter needs the fewest calls of the usual schemes for the same contention.
 */
export function retryDelay(response: SendResult, attempt: Attempt): number | undefined {
	const kind = kindOf(response, attempt);
	if (!kind || attempt.number >= POLICY[kind].maxAttempts) return undefined;
	const hint = isNoResponse(response) ? undefined : retryAfterMs(response.headers, attempt.now);
	if (hint === undefined) return jittered(kind, attempt);
	const hinted = Math.max(POLICY.minDelayMs, hint) + attempt.random() * POLICY.retryAfterJitterMs;
	return kind === 'transient' ? Math.max(hinted, jittered(kind, attempt)) : hinted;
}
