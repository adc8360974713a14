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

/**
 * How often a request is tried, and the upper bound of the jittered delay, which doubles each time.
 * Only `run/creation.ts` sends a creation again after this has given up, for the reasons in its header.
 * Files have attempts of their own (`transfer/transfer.ts`).
 */
const ATTEMPTS: Record<RetryReason, { max: number; initialMs: number; maxMs: number }> = {
	/** Seven, as a row of Continue On Fail has no later run that could find the job of a lost answer. */
	transient: { max: 7, initialMs: 1_000, maxMs: 20_000 },
	throttled: { max: 8, initialMs: 2_000, maxMs: 60_000 },
	/** Fewer, because the address is often wrong. */
	unreachable: { max: 5, initialMs: 1_000, maxMs: 8_000 },
	foreign: { max: 3, initialMs: 1_000, maxMs: 8_000 },
};

/**
 * No attempt begins later than this after the first one has failed, in ms; the second always does.
 * So a connection that breaks after 40 s is tried 4 times, and one that hangs for the 120 s of a
 * time-out twice.
 */
const KEEP_TRYING_MS = 90_000;

/**
 * So many requests for one operation, given up in a row without any answer of the service, are an outage:
 * as many as are under way at once by default, so that a few bad items among good ones are none.
 */
const OUTAGE_AFTER = 5;

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
	/** How long ago the first attempt failed that was not refused with 429, in ms; 0 for this one. */
	failingMs: number;
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
	const { number, replayable, failingMs, now, random } = attempt;
	const reason = retryReason(response);
	if (!reason || number >= ATTEMPTS[reason].max) return undefined;
	if (isOutcomeUnknown(response) && !replayable) return undefined;
	const { initialMs, maxMs } = ATTEMPTS[reason];
	const backoff = Math.max(MIN_DELAY_MS, random() * Math.min(maxMs, initialMs * 2 ** (number - 1)));
	const hinted = isNoResponse(response) ? undefined : hintedDelay(response.headers, now, random);
	if (reason === 'throttled') return hinted ?? backoff;
	const delay = Math.max(hinted ?? 0, backoff);
	return number > 1 && failingMs + delay > KEEP_TRYING_MS ? undefined : delay;
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

/** Sends requests within the rate limit, and again only where that cannot do anything twice. */
export class Client {
	/** How many requests were given up in a row, by operation: none of them was answered by the service. */
	private readonly givenUp = new Map<string, number>();

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
		const { retry = true, maxAttempts = Infinity, return429 = false, onSending } = options;
		const { validate = mustBeObject, replayable = request.method !== 'POST' } = options;
		const isReplayable = typeof replayable === 'function' ? replayable : () => replayable;
		const { clock, rateLimiter, random } = this;
		let { outcomeOpen: outcomeUnknown = false } = options;
		let failed: Failed | undefined;
		let failingSince: number | undefined;
		for (let number = 1; ; number += 1) {
			const cancelled = fail({ kind: 'cancelled', outcomeUnknown });
			if (!(await rateLimiter.acquire(channel, request.method === 'GET'))) return cancelled;
			const isStopped = channel.signal?.aborted === true;
			if (isStopped || (outcomeUnknown && !isReplayable())) {
				rateLimiter.release();
				return isStopped ? cancelled : (failed ?? keyExpired());
			}
			onSending?.();
			const response = await channel.send(request).finally(() => rateLimiter.release());
			const isLost = isNoResponse(response);
			const problem = isLost || !isSuccess(response.status) ? '' : validate(response.body);
			if (isAnswerOfService(response)) this.givenUp.delete(operationOf(request));
			if (!isLost && problem === undefined) return ok(response);

			outcomeUnknown ||= isOutcomeUnknown(response);
			const isThrottled = retryReason(response) === 'throttled';
			if (!isThrottled) failingSince ??= clock.monotonic();
			const now = clock.now();
			const failingMs = clock.monotonic() - (failingSince ?? clock.monotonic());
			const attempt = { number, replayable: isReplayable(), failingMs, now, random };
			const delay = retryDelay(response, attempt);
			if (isThrottled && !return429) rateLimiter.throttled(delay ?? 0, request.method === 'GET');
			if (channel.signal?.aborted) return fail({ kind: 'cancelled', outcomeUnknown });
			failed = toFailure(response, problem ?? '', outcomeUnknown, attempt);
			if (isThrottled && return429) return failed;
			if (delay === undefined) {
				const isOutage = this.giveUp(request, response);
				return toFailure(response, problem ?? '', outcomeUnknown, attempt, isOutage);
			}
			if (!retry || (!isThrottled && number >= maxAttempts)) return failed;
			await clock.sleep(delay, channel.signal);
		}
	}

	/**
	 * A request has no further attempt. Several in a row that got no answer of the service are an outage.
	 *
	 * @returns whether this is one; `undefined` where the service has answered
	 */
	private giveUp(request: ApiRequest, response: SendResult): boolean | undefined {
		const reason = retryReason(response);
		if (reason === undefined || reason === 'throttled') return undefined;
		const operation = operationOf(request);
		const inARow = (this.givenUp.get(operation) ?? 0) + 1;
		this.givenUp.set(operation, inARow);
		return inARow >= OUTAGE_AFTER;
	}
}

/** The key of an earlier attempt expired before this request had its turn, so nobody knows what became of that. */
const keyExpired = (): Failed =>
	fail({
		kind: 'noResponse',
		reason: 'the idempotency key has expired',
		unsent: 'local',
		attempts: 0,
		outcomeUnknown: true,
	});

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
	const serviceError = errorOf(body);
	return fail({ kind: 'status', status, serviceError, outcomeUnknown, hintMs, isOutage });
}

/** The id that the path of a request ends with. */
export const idIn = ({ path }: Pick<ApiRequest, 'path'>): string =>
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
