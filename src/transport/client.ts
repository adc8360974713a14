import type { RateLimiter } from './rateLimiter';
import { fail, ok, type Failed, type Result } from '../base/result';
import {
	isNoResponse,
	isRecord,
	isResource,
	isSuccess,
	type ApiRequest,
	type ApiResponse,
	type Channel,
	type Clock,
	type Random,
	type Resource,
	type SendResult,
} from '../base/types';
import { whatCame } from './bodies';
import {
	errorOf,
	isAnswerOfService,
	isOutcomeUnknown,
	retryReason,
	type RetryReason,
} from './statuses';

/** How a request is sent again that has failed. Files have attempts of their own (`files/transfer.ts`). */
interface Retries {
	/** How long after its first failure a read is sent again, and whatever else costs nothing, in ms. */
	readForMs: number;
	/**
	 * Whether a creation that costs credits is sent again longer: as long as _Wait Timeout_ lasts, which is
	 * its {@link RequestOptions.keepTryingMs}.
	 */
	isWaitedFor: boolean;
	/** The upper bound of the jittered delay, in ms: at first, doubled each time, and at most. */
	initialMs: number;
	maxMs: number;
}

const RETRIES: Record<RetryReason, Retries> = {
	/** What was done is not known. */
	transient: { readForMs: 90_000, isWaitedFor: true, initialMs: 1_000, maxMs: 60_000 },
	/** Nothing was done, and the service says that it will be soon. */
	throttled: { readForMs: 300_000, isWaitedFor: true, initialMs: 2_000, maxMs: 60_000 },
	/** Nothing was done, and the address is often wrong. */
	unreachable: { readForMs: 30_000, isWaitedFor: false, initialMs: 1_000, maxMs: 8_000 },
	foreign: { readForMs: 8_000, isWaitedFor: false, initialMs: 1_000, maxMs: 8_000 },
};

/** A request that began to fail so long after another one was given up, in ms, comes right behind it. */
const IN_A_ROW_MS = 60_000;

const MIN_DELAY_MS = 100;

/** Longest wait that a server may ask for. */
const MAX_RETRY_AFTER_MS = 120_000;

/** Added at random to what a server asks for, so that clients do not all return at once. */
const RETRY_AFTER_JITTER_MS = 1_000;

/**
 * How long a server asks to wait, in ms, at most two minutes: `Retry-After` in seconds or as a date.
 * Specification: Limits, "Rate-limit response headers and retry hints: not shown".
 */
export function retryAfterMs(headers: Record<string, string>, now: number): number | undefined {
	const text = (headers['retry-after'] ?? '').trim();
	const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
	return ms >= 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}

/**
 * How long to wait as `Retry-After` asks, in ms: 0.1 s to 2 min, and up to 1 s at random; `undefined`
 * without a usable header.
 *
 * @param now in ms since the epoch
 */
export function hintedDelay(
	headers: Record<string, string>,
	now: number,
	random: Random,
): number | undefined {
	const hint = retryAfterMs(headers, now);
	if (hint === undefined) return undefined;
	return Math.max(MIN_DELAY_MS, hint) + random() * RETRY_AFTER_JITTER_MS;
}

export interface Attempt {
	/** 1 for the first. */
	number: number;
	/** Whether repeating it has no further effect. */
	replayable: boolean;
	/** How long ago the first attempt failed, in ms; 0 for this one. */
	failingMs: number;
	/** As {@link RequestOptions.keepTryingMs}; 0 for none. */
	keepTryingMs: number;
	now: number;
	random: Random;
}

/**
 * Whether to try again, and when: milliseconds until the next attempt, or `undefined` for none.
 * 1. 429 or unreachable: whatever the method, because nothing was done.
 * 2. Outcome unknown: if the request is replayable.
 * 3. Everything else is final, including what failed on this machine before it was sent.
 *
 * A `Retry-After` replaces the backoff; after a fault it is the shortest wait, because a service that
 * is down may name a moment each time.
 */
export function retryDelay(response: SendResult, attempt: Attempt): number | undefined {
	const { number, replayable, failingMs, keepTryingMs, now, random } = attempt;
	const reason = retryReason(response);
	if (!reason || (isOutcomeUnknown(response) && !replayable)) return undefined;
	const { readForMs, isWaitedFor, initialMs, maxMs } = RETRIES[reason];
	const backoff = Math.max(MIN_DELAY_MS, random() * Math.min(maxMs, initialMs * 2 ** (number - 1)));
	const hinted = isNoResponse(response) ? undefined : hintedDelay(response.headers, now, random);
	const isThrottled = reason === 'throttled';
	const delay = isThrottled ? (hinted ?? backoff) : Math.max(hinted ?? 0, backoff);
	const untilMs = isWaitedFor && keepTryingMs > 0 ? keepTryingMs : readForMs;
	// Once more at least, as one attempt may have hung for minutes.
	return number > 1 && failingMs + delay > untilMs ? undefined : delay;
}

/** The defaults are right for reading. */
export interface RequestOptions {
	/**
	 * Whether repeating the request has no further effect; default: every method but POST. As a
	 * function, because a key expires.
	 */
	replayable?: boolean | (() => boolean);
	/** Whether a 429 may mean that all job slots are taken: the caller gets it at once. */
	return429?: boolean;
	/** `false`: a single attempt, for pollers, which ask again anyway. */
	retry?: boolean;
	/** Most attempts, where whoever waits tries again; a 429 is never the last. */
	maxAttempts?: number;
	/**
	 * _Wait Timeout_ of a creation that costs credits, in ms: so long it is sent again while its outcome is
	 * open or it is refused with 429. Otherwise as a read is.
	 */
	keepTryingMs?: number;
	/** Whether an earlier request under the same key may have been carried out. */
	outcomeOpen?: boolean;
	/** Called right before an attempt goes out, which may have waited for its turn. */
	onSending?: () => void;
	/** What is wrong with the body of a 2xx, if anything; default: {@link mustBeObject}. */
	validate?: (body: unknown) => string | undefined;
}

/** Names the operation of a request, whatever the id in its path. */
const operationOf = ({ method, path }: ApiRequest) => `${method} ${path.split('/')[1] ?? ''}`;

export const mustBeObject = (body: unknown) =>
	isRecord(body) ? undefined : `the response is ${whatCame(body)}, not a JSON object`;

/** What is wrong with a body that is no resource. */
export const mustHaveId = (body: unknown) =>
	isResource(body) ? undefined : (mustBeObject(body) ?? 'the response has no id');

/** What comes of a request that throws, for who may not. */
export const UNANSWERED = fail({
	kind: 'noResponse',
	reason: 'the request failed',
	attempts: 1,
	outcomeUnknown: false,
});

/** Sends requests within the rate limit, and again only where that cannot do anything twice. */
export class Client {
	/**
	 * When a request was last given up that the service has answered none of since, by operation, on the
	 * monotonic clock.
	 */
	private readonly givenUpAt = new Map<string, number>();

	constructor(
		private readonly rateLimiter: RateLimiter,
		private readonly clock: Clock,
		private readonly random: Random,
	) {}

	/** Sends a request until there is a final response. Only a 2xx with a valid body is a success. */
	async request(
		channel: Channel,
		request: ApiRequest,
		options: RequestOptions = {},
	): Promise<Result<ApiResponse>> {
		const { clock, rateLimiter } = this;
		const { replayable = request.method !== 'POST', validate = mustBeObject } = options;
		const { retry = true, maxAttempts = Infinity, keepTryingMs = 0, return429 = false } = options;
		const isReplayable = () => (typeof replayable === 'function' ? replayable() : replayable);
		const isRead = request.method === 'GET';
		const operation = operationOf(request);
		let outcomeUnknown = options.outcomeOpen ?? false;
		let failed: Failed | undefined;
		let failingSince: number | undefined;
		for (let number = 1; ; number += 1) {
			// Its turn, during which it may have been cancelled, or its key may have expired.
			const hasTurn = await rateLimiter.acquire(channel, isRead);
			const isStopped = !hasTurn || channel.signal?.aborted === true;
			const isExpired = outcomeUnknown && !isReplayable();
			if (hasTurn && (isStopped || isExpired)) rateLimiter.release();
			if (isStopped) return fail({ kind: 'cancelled', outcomeUnknown });
			if (isExpired) return failed ?? KEY_EXPIRED;

			// One attempt.
			options.onSending?.();
			const response = await channel.send(request).finally(() => rateLimiter.release());
			const problem = problemOf(response, validate);
			const isUsable = !isNoResponse(response) && problem === undefined;
			if (isUsable || isAnswerOfService(response)) this.givenUpAt.delete(operation);
			if (isUsable) return ok(response);

			// What it means for the next one.
			outcomeUnknown ||= isOutcomeUnknown(response);
			failingSince ??= clock.monotonic();
			const attempt: Attempt = {
				number,
				replayable: isReplayable(),
				failingMs: clock.monotonic() - failingSince,
				keepTryingMs,
				now: clock.now(),
				random: this.random,
			};
			const delay = retryDelay(response, attempt);
			const reason = retryReason(response);
			const isThrottled = reason === 'throttled';
			failed = toFailure(response, problem ?? '', outcomeUnknown, attempt);
			// Whoever asks for it waits for a slot then, and the rate is not to blame.
			if (isThrottled && !return429) rateLimiter.throttled(delay ?? 0, isRead);
			if (channel.signal?.aborted) return fail({ kind: 'cancelled', outcomeUnknown });
			if (isThrottled && return429) return failed;
			if (delay === undefined) {
				// What the service has answered itself, and what failed on this machine, says nothing of the
				// others.
				const isUnanswered = reason !== undefined && !isThrottled;
				const isOutage = isUnanswered ? this.giveUp(operation, failingSince) : undefined;
				return toFailure(response, problem ?? '', outcomeUnknown, attempt, isOutage);
			}
			if (!retry) return failed;
			if (!isThrottled && number >= maxAttempts) return failed;
			await clock.sleep(delay, channel.signal);
		}
	}

	/**
	 * A request has no further attempt. Two in a row without an answer to any other are an outage: one alone
	 * may be what the service cannot bear.
	 * @param failingSince when it failed first
	 */
	private giveUp(operation: string, failingSince: number): boolean {
		const before = this.givenUpAt.get(operation) ?? -Infinity;
		this.givenUpAt.set(operation, this.clock.monotonic());
		return before >= failingSince - IN_A_ROW_MS;
	}
}

/**
 * The key of an earlier attempt expired before this request had its turn, so nobody knows what became of
 * that.
 */
const KEY_EXPIRED = fail({
	kind: 'noResponse',
	reason: 'the idempotency key has expired',
	unsent: 'local',
	attempts: 0,
	outcomeUnknown: true,
});

/** What is wrong with an answer, if there is one; `undefined` for a success that can be used. */
function problemOf(
	response: SendResult,
	validate: (body: unknown) => string | undefined,
): string | undefined {
	const isSuccessful = !isNoResponse(response) && isSuccess(response.status);
	return isSuccessful ? validate(response.body) : 'there is no success';
}

function toFailure(
	response: SendResult,
	problem: string,
	outcomeUnknown: boolean,
	{ number: attempts, now }: Attempt,
	isOutage?: boolean,
): Failed {
	if (isNoResponse(response)) {
		const { noResponse: reason, unsent } = response;
		return fail({ kind: 'noResponse', reason, attempts, outcomeUnknown, unsent, isOutage });
	}
	const { status, headers, body } = response;
	if (isSuccess(status)) return fail({ kind: 'badResponse', status, problem, isOutage });
	const hintMs = retryAfterMs(headers, now);
	const serviceError = errorOf(body, headers);
	return fail({ kind: 'status', status, serviceError, outcomeUnknown, hintMs, isOutage });
}

/** The id that the path of a request ends with. */
const idIn = ({ path }: Pick<ApiRequest, 'path'>): string =>
	decodeURIComponent(path.split('/').at(-1) ?? '');

export const otherIdProblem = (body: unknown, id: string): string | undefined =>
	isResource(body) && body.id !== id
		? 'the response has another id than the one asked for'
		: undefined;

/**
 * A request whose response must have an id, and that of its path where it reads or changes a
 * resource: anything else is an unusable response.
 */
export async function requestResource(
	client: Client,
	channel: Channel,
	request: ApiRequest,
	options: Omit<RequestOptions, 'validate'> = {},
): Promise<Result<Resource>> {
	const validate = (body: unknown) => {
		const problem = mustHaveId(body);
		if (problem !== undefined || request.method === 'POST') return problem;
		return otherIdProblem(body, idIn(request));
	};
	const response = await client.request(channel, request, { ...options, validate });
	return response.ok ? ok(response.value.body as Resource) : response;
}
