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

/** How a failed request is sent again. Files have attempts of their own (`files/transfer.ts`). */
interface Retries {
	/**
	 * For how long after its first failure a request is sent again that costs nothing, such as a read, in ms.
	 */
	readForMs: number;
	/**
	 * Whether a creation that costs credits is sent again for longer: as long as _Wait Timeout_ lasts ({@link
	 * RequestOptions.keepTryingMs}).
	 */
	isWaitedFor: boolean;
	/**
	 * Each pause is random, up to a bound: the bound before the second attempt, which doubles with each
	 * further attempt, and its maximum, in ms.
	 */
	initialMs: number;
	maxMs: number;
}

const RETRIES: Record<RetryReason, Retries> = {
	/** Nobody knows whether the service has carried out the request. */
	transient: { readForMs: 90_000, isWaitedFor: true, initialMs: 1_000, maxMs: 60_000 },
	/** The service has refused with 429 and carried out nothing. */
	throttled: { readForMs: 300_000, isWaitedFor: true, initialMs: 2_000, maxMs: 60_000 },
	/** No connection was made. Often the address is wrong, so this is given up soon. */
	unreachable: { readForMs: 30_000, isWaitedFor: false, initialMs: 1_000, maxMs: 8_000 },
	foreign: { readForMs: 8_000, isWaitedFor: false, initialMs: 1_000, maxMs: 8_000 },
};

/**
 * Two requests are given up in a row if the second began to fail within this time after the first was given
 * up, in ms.
 */
const IN_A_ROW_MS = 60_000;

const MIN_DELAY_MS = 100;

/** The longest wait that is granted to a server, in ms. */
const MAX_RETRY_AFTER_MS = 120_000;

/**
 * So much is added at random to the wait that a server asks for, so that not all clients return at once, in
 * ms.
 */
const RETRY_AFTER_JITTER_MS = 1_000;

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
export function hintedDelay(
	headers: Record<string, string>,
	now: number,
	random: Random,
): number | undefined {
	const hint = retryAfterMs(headers, now);
	if (hint === undefined) return undefined;
	return Math.max(MIN_DELAY_MS, hint) + random() * RETRY_AFTER_JITTER_MS;
}

/**
 * How long a request that fails for this reason is sent again, in ms.
 *
 * @param keepTryingMs see {@link RequestOptions.keepTryingMs}; 0 if it is not set
 */
function triedForMs(reason: RetryReason, keepTryingMs: number): number {
	const { readForMs, isWaitedFor } = RETRIES[reason];
	return isWaitedFor && keepTryingMs > 0 ? keepTryingMs : readForMs;
}

export interface Attempt {
	/** The number of the attempt, from 1. */
	number: number;
	/** Whether sending the request again has no further effect. */
	replayable: boolean;
	/** How long ago the first attempt failed, in ms; 0 if this one is the first. */
	failingMs: number;
	/** How long after the first failure another attempt may begin, in ms: {@link triedForMs}. */
	untilMs: number;
	/** What bounds the pause, in ms, if that is more than after this failure alone. */
	maxPauseMs?: number;
	now: number;
	random: Random;
}

/**
 * Whether to send the request again: the pause before the next attempt in ms, or `undefined` for none.
 * 1. After a 429, and if the service could not be reached: always, because nothing was done.
 * 2. If nobody knows what was done: only a replayable request.
 * 3. Never after anything else, such as a final answer or a failure on this machine.
 *
 * `Retry-After` is only a lower bound of the random pause, because a service may ask for a moment each time,
 * however often it refuses.
 */
export function retryDelay(response: SendResult, attempt: Attempt): number | undefined {
	const { number, replayable, failingMs, untilMs, maxPauseMs = 0, now, random } = attempt;
	const reason = retryReason(response);
	if (!reason || (isOutcomeUnknown(response) && !replayable)) return undefined;
	const { initialMs, maxMs } = RETRIES[reason];
	const bound = Math.min(Math.max(maxMs, maxPauseMs), initialMs * 2 ** (number - 1));
	const backoff = Math.max(MIN_DELAY_MS, random() * bound);
	const hinted = isNoResponse(response) ? undefined : hintedDelay(response.headers, now, random);
	const delay = Math.max(hinted ?? 0, backoff);
	// There is always a second attempt, because the first may have hung for minutes.
	return number > 1 && failingMs + delay > untilMs ? undefined : delay;
}

/** How a request is sent. The defaults suit a read. */
export interface RequestOptions {
	/**
	 * Whether sending the request again has no further effect; by default for every method but POST. A
	 * function where this may change meanwhile, because an idempotency key expires.
	 */
	replayable?: boolean | (() => boolean);
	/** Whether a 429 may mean that all job slots are taken. Then it is returned at once. */
	return429?: boolean;
	/** `false` for a single attempt. Pollers use it, because they ask again anyway. */
	retry?: boolean;
	/**
	 * The most attempts, for a caller that tries again by itself. A 429 does not count: another attempt
	 * follows it in any case.
	 */
	maxAttempts?: number;
	/**
	 * _Wait Timeout_ of a creation that costs credits, in ms. For so long it is sent again while nobody knows
	 * what was done, or while it is refused with 429. Other requests are sent again as long as a read.
	 */
	keepTryingMs?: number;
	/** Whether an earlier request under the same key may have been carried out. */
	outcomeOpen?: boolean;
	/**
	 * When an earlier request under the same key first failed, if nobody knows what was done, on the
	 * monotonic clock: how long it is sent again counts from then.
	 */
	failingSince?: number;
	/** Called right before each attempt is sent, after it has waited for its turn. */
	onSending?: () => void;
	/** Says what is wrong with the body of a 2xx, if anything; by default {@link mustBeObject}. */
	validate?: (body: unknown) => string | undefined;
}

/** The operation that a request belongs to, regardless of the id in its path. */
const operationOf = ({ method, path }: ApiRequest) => `${method} ${path.split('/')[1] ?? ''}`;

export const mustBeObject = (body: unknown) =>
	isRecord(body) ? undefined : `the response is ${whatCame(body)}, not a JSON object`;

/** Says what is wrong with a body that is not a resource with an id. */
export const mustHaveId = (body: unknown) =>
	isResource(body) ? undefined : (mustBeObject(body) ?? 'the response has no id');

/**
 * Sends requests within the rate limit. A request is sent again only if that cannot make or pay for anything
 * twice.
 */
export class Client {
	/**
	 * By operation: when a request was last given up, on the monotonic clock. An answer of the service to a
	 * later one deletes the entry.
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
		let { failingSince } = options;
		// The longest that any of its failures allows: a service that restarts behind a load balancer gives
		// 503 for a minute and then refuses a connection, which alone would end the request after 30 s.
		let untilMs = failingSince === undefined ? 0 : triedForMs('transient', keepTryingMs);
		// And the longest pauses, or it would be sent every few seconds for as long as Wait Timeout.
		let maxPauseMs = failingSince === undefined ? 0 : RETRIES.transient.maxMs;
		for (let number = 1; ; number += 1) {
			// It waits for its turn. Meanwhile it may be cancelled, or its key may expire.
			const hasTurn = await rateLimiter.acquire(channel, isRead);
			const isStopped = !hasTurn || channel.signal?.aborted === true;
			const isExpired = outcomeUnknown && !isReplayable();
			if (hasTurn && (isStopped || isExpired)) rateLimiter.release();
			if (isStopped) return fail({ kind: 'cancelled', outcomeUnknown });
			if (isExpired) return failed ?? KEY_EXPIRED;

			// It is sent once.
			options.onSending?.();
			const response = await channel.send(request).finally(() => rateLimiter.release());
			const problem = problemOf(response, validate);
			const isUsable = !isNoResponse(response) && problem === undefined;
			if (isUsable || isAnswerOfService(response)) this.givenUpAt.delete(operation);
			if (isUsable) return ok(response);

			// Is there a next attempt, and when?
			outcomeUnknown ||= isOutcomeUnknown(response);
			failingSince ??= clock.monotonic();
			const reason = retryReason(response);
			if (reason) {
				untilMs = Math.max(untilMs, triedForMs(reason, keepTryingMs));
				maxPauseMs = Math.max(maxPauseMs, RETRIES[reason].maxMs);
			}
			const attempt: Attempt = {
				number,
				replayable: isReplayable(),
				failingMs: clock.monotonic() - failingSince,
				untilMs,
				maxPauseMs,
				now: clock.now(),
				random: this.random,
			};
			const delay = retryDelay(response, attempt);
			const isThrottled = reason === 'throttled';
			// A caller that wants the 429 waits for a job slot then: the request rate is not to blame.
			if (isThrottled && !return429) rateLimiter.throttled(delay ?? 0, isRead);
			if (channel.signal?.aborted) return fail({ kind: 'cancelled', outcomeUnknown });
			// An answer of the service itself, and a failure on this machine, say nothing of other requests.
			const isGivenUp = delay === undefined && reason !== undefined && !isThrottled;
			const isOutage = isGivenUp ? this.giveUp(operation, failingSince) : undefined;
			failed = toFailure(response, problem ?? '', outcomeUnknown, attempt, isOutage);
			if (delay === undefined || !retry || (isThrottled && return429)) return failed;
			if (!isThrottled && number >= maxAttempts) return failed;
			await clock.sleep(delay, channel.signal);
		}
	}

	/**
	 * A request is given up. If another one of the same operation was given up just before, and none was
	 * answered in between, the service is out of order. A single one may only be a request that the service
	 * cannot bear.
	 * @param failingSince when the request first failed
	 * @returns whether the service is out of order
	 */
	private giveUp(operation: string, failingSince: number): boolean {
		const before = this.givenUpAt.get(operation) ?? -Infinity;
		this.givenUpAt.set(operation, this.clock.monotonic());
		return before >= failingSince - IN_A_ROW_MS;
	}
}

/**
 * The idempotency key expired while the request waited for its turn. So nobody will know what became of its
 * earlier attempt.
 */
const KEY_EXPIRED = fail({
	kind: 'noResponse',
	reason: 'the idempotency key has expired',
	unsent: 'local',
	attempts: 0,
	outcomeUnknown: true,
});

/** What is wrong with an answer; `undefined` for a success that can be used. */
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
 * Sends a request whose response must be a resource. If the request reads or changes one, the response must
 * have the id of its path. Any other response cannot be used.
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
