import { isNoResponse, type Clock, type Random, type SendResult } from '../base/types';
import type { RetryReason } from './statuses';

/*
 * For how long and after which pauses a request is sent again. `retryReason` in `statuses.ts` says for which
 * reason. Files have attempts of their own (`files/transfer.ts`).
 */

/** How a request is sent again for one reason. */
interface Policy {
	/** For how long after its first failure, in ms. */
	forMs: number;
	/** Whether a creation that costs credits is sent again for _Wait Timeout_ instead. */
	orWaitTimeout: boolean;
	/**
	 * Each pause is random, up to a bound: the bound before the second attempt, which doubles with each
	 * further attempt, and its maximum, in ms.
	 */
	firstPauseMs: number;
	maxPauseMs: number;
}

const RETRIES: Record<RetryReason, Policy> = {
	/** Nobody knows whether the service has carried out the request. */
	transient: { forMs: 90_000, orWaitTimeout: true, firstPauseMs: 1_000, maxPauseMs: 60_000 },
	/** The service has refused with 429 and carried out nothing. */
	throttled: { forMs: 300_000, orWaitTimeout: true, firstPauseMs: 2_000, maxPauseMs: 60_000 },
	/** The service has refused with 409. What is under way under the key may be why, and that passes. */
	conflict: { forMs: 30_000, orWaitTimeout: false, firstPauseMs: 1_000, maxPauseMs: 8_000 },
	/** No connection was made. Often the address is wrong, so this is given up soon. */
	unreachable: { forMs: 30_000, orWaitTimeout: false, firstPauseMs: 1_000, maxPauseMs: 8_000 },
	/** Another than the service has answered. Often the address is wrong here too. */
	foreign: { forMs: 8_000, orWaitTimeout: false, firstPauseMs: 1_000, maxPauseMs: 8_000 },
};

const MIN_PAUSE_MS = 100;

/** The longest wait that is granted to a server, in ms. */
const MAX_RETRY_AFTER_MS = 120_000;

/**
 * So much is added at random to the wait that a server asks for, so that not all clients return at once, in
 * ms.
 */
const RETRY_AFTER_JITTER_MS = 1_000;

/** The attempts of one request that have failed, and whether another one follows. */
export class Attempts {
	/** How many have failed. */
	count = 0;
	/**
	 * The longest that any of its failures allows: a service that restarts behind a load balancer gives 503
	 * for a minute and then refuses a connection, which alone would end the request after 30 s.
	 */
	private untilMs = 0;
	/** And the longest pauses, or it would be sent every few seconds for as long as Wait Timeout. */
	private maxPauseMs = 0;

	constructor(
		private readonly clock: Clock,
		private readonly random: Random,
		/** _Wait Timeout_ of a creation that costs credits. */
		private readonly waitTimeoutMs?: number,
		/**
		 * When the first one failed, on the monotonic clock. It may be of an earlier request under the same
		 * key, of which nobody knows what was done.
		 */
		public failingSince = Infinity,
	) {
		if (failingSince !== Infinity) this.allowFor('transient');
	}

	/**
	 * An attempt has failed. Returns the pause before the next one in ms, or `undefined` if there is none:
	 * 1. After a 429, and if the service could not be reached: always, because nothing was done.
	 * 2. If it may have been carried out: only if sending the request again has no further effect.
	 * 3. Never after anything else, such as a final answer or a failure on this machine.
	 *
	 * `Retry-After` is only a lower bound of the random pause, because a service may ask for a moment each
	 * time, however often it refuses.
	 */
	pauseAfter(
		response: SendResult,
		reason: RetryReason | undefined,
		replayable: boolean,
	): number | undefined {
		this.count += 1;
		const now = this.clock.monotonic();
		this.failingSince = Math.min(this.failingSince, now);
		if (!reason) return undefined;
		this.allowFor(reason);
		const isNothingDone = reason === 'throttled' || reason === 'unreachable';
		if (!isNothingDone && !replayable) return undefined;

		const { firstPauseMs } = RETRIES[reason];
		const bound = Math.min(this.maxPauseMs, firstPauseMs * 2 ** (this.count - 1));
		const backoffMs = Math.max(MIN_PAUSE_MS, this.random() * bound);
		const hinted = isNoResponse(response)
			? undefined
			: hintedPauseMs(response.headers, this.clock.now(), this.random);
		const pauseMs = Math.max(hinted ?? 0, backoffMs);

		// There is always a second attempt, because the first may have hung for minutes.
		if (this.count === 1) return pauseMs;
		return now + pauseMs > this.failingSince + this.untilMs ? undefined : pauseMs;
	}

	private allowFor(reason: RetryReason): void {
		const { forMs, orWaitTimeout, maxPauseMs } = RETRIES[reason];
		const allowedMs = orWaitTimeout ? (this.waitTimeoutMs ?? forMs) : forMs;
		this.untilMs = Math.max(this.untilMs, allowedMs);
		this.maxPauseMs = Math.max(this.maxPauseMs, maxPauseMs);
	}
}

/**
 * How long a server asks to wait, in ms, at most two minutes. `Retry-After` is a number of seconds or a date,
 * which counts from the `Date` of the answer: the clocks of both need not agree. `undefined` if there is none
 * that can be used.
 * Specification: Limits, "Rate-limit response headers and retry hints: not shown".
 */
export function retryAfterMs(headers: Record<string, string>, now: number): number | undefined {
	const text = (headers['retry-after'] ?? '').trim();
	const date = Date.parse(headers.date ?? '');
	const sentAt = Number.isNaN(date) ? now : date;
	const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - sentAt;
	return ms >= 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}

/**
 * How long to wait if the answer has a usable `Retry-After`, in ms: at least 0.1 s, at most 2 min, and up to
 * 1 s more at random. Otherwise `undefined`.
 *
 * @param now in ms since the epoch
 */
export function hintedPauseMs(
	headers: Record<string, string>,
	now: number,
	random: Random,
): number | undefined {
	const hint = retryAfterMs(headers, now);
	if (hint === undefined) return undefined;
	return Math.max(MIN_PAUSE_MS, hint) + random() * RETRY_AFTER_JITTER_MS;
}
