import type { RateLimiter } from '../limits/rateLimiter';
import { fail, ok, type Failed, type Failure, type Result } from '../base/result';
import { retryDelay } from './retry';
import { retryAfterMs } from './retryAfter';
import { errorOf, isOutcomeUnknown } from './statuses';
import {
	isNoResponse,
	isRecord,
	isSuccess,
	type SendResult,
	type ApiRequest,
	type ApiResponse,
	type Clock,
	type Channel,
	type Random,
} from '../base/types';

/** How one request is to be carried out. The defaults are right for reading. */
export interface RequestOptions {
	/** Whether repeating the request has no further effect. Default: every method but POST. */
	replayable?: boolean;
	/**
	 * Whether a 429 may mean that all job slots are taken. Such a 429 says nothing about the request
	 * rate, so other requests are not held up, and the caller gets it at once: it must release its
	 * permit before it tries again.
	 */
	return429?: boolean;
	/** `false`: a single attempt, for pollers, which ask again anyway. Default: `true`. */
	retry?: boolean;
	/** Most attempts, where whoever waits tries again; a 429 is not counted. Default: the policy's. */
	maxAttempts?: number;
	/**
	 * Whether an earlier request under the same key may have been carried out, so that a conflict may
	 * mean that the service is still at work on it.
	 */
	outcomeOpen?: boolean;
	/**
	 * What is wrong with the body of a 2xx; `undefined` if nothing is. Default: it must be a JSON
	 * object.
	 */
	validate?: (body: unknown) => string | undefined;
}

const mustBeObject = (body: unknown) =>
	isRecord(body) ? undefined : 'the response is not a JSON object';

/**
 * Sends API requests within the rate limit, and retries them only where that cannot do anything
 * twice.
 */
export class Client {
	constructor(
		private readonly rateLimiter: RateLimiter,
		private readonly clock: Clock,
		private readonly random: Random,
	) {}

	/**
	 * Sends a request until there is a final response. Only a 2xx with a valid body is a success. In
	 * a failure, `outcomeUnknown` says that at least one attempt may have been carried out without
	 * our learning of it.
	 */
	async request(
		channel: Channel,
		request: ApiRequest,
		options: RequestOptions = {},
	): Promise<Result<ApiResponse>> {
		const { retry = true, maxAttempts = Infinity, return429 = false } = options;
		const { validate = mustBeObject } = options;
		const replayable = options.replayable ?? request.method !== 'POST';
		let { outcomeOpen: outcomeUnknown = false } = options;
		for (let number = 1; ; number += 1) {
			const response = await this.sendOnce(channel, request);
			if (!response) return fail({ kind: 'cancelled' });
			const problem = problemOf(response, validate);
			if (!isNoResponse(response) && problem === undefined) return ok(response);

			const followsUnknown = outcomeUnknown;
			outcomeUnknown ||= isOutcomeUnknown(response);
			const now = this.clock.now();
			const { random } = this;
			const delay = retryDelay(response, { number, replayable, followsUnknown, now, random });
			const isThrottled = is429(response);
			if (isThrottled && !return429) this.rateLimiter.throttled(delay ?? 0);
			if (channel.signal?.aborted) return fail({ kind: 'cancelled' });
			const isLast = !retry || (isThrottled ? return429 : number >= maxAttempts);
			if (delay === undefined || isLast) {
				const hintMs = isNoResponse(response) ? undefined : retryAfterMs(response.headers, now);
				return toFailure(response, { number, replayable, outcomeUnknown, problem, hintMs });
			}
			await this.clock.sleep(delay, channel.signal);
		}
	}

	private async sendOnce(channel: Channel, request: ApiRequest): Promise<SendResult | undefined> {
		if (!(await this.rateLimiter.acquire(channel))) return undefined;
		try {
			return await channel.send(request);
		} finally {
			this.rateLimiter.release();
		}
	}
}

const is429 = (response: SendResult) => !isNoResponse(response) && response.status === 429;

function problemOf(
	response: SendResult,
	validate: (body: unknown) => string | undefined,
): string | undefined {
	if (isNoResponse(response)) return response.noResponse;
	return isSuccess(response.status) ? validate(response.body) : `status ${response.status}`;
}

interface FinalAttempt {
	number: number;
	replayable: boolean;
	outcomeUnknown: boolean;
	problem: string | undefined;
	hintMs: number | undefined;
}

function toFailure(response: SendResult, attempt: FinalAttempt): Failed {
	const { number: attempts, replayable, outcomeUnknown, problem, hintMs } = attempt;
	let failure: Failure;
	if (isNoResponse(response)) {
		const { noResponse: reason, unsent } = response;
		failure = { kind: 'noResponse', reason, attempts, replayable, outcomeUnknown, unsent };
	} else if (isSuccess(response.status)) {
		const { status } = response;
		failure = { kind: 'badResponse', status, problem: problem ?? 'the response cannot be read' };
	} else {
		const { status } = response;
		const serviceError = errorOf(response.body);
		failure = { kind: 'status', status, serviceError, outcomeUnknown, hintMs };
	}
	return fail(failure);
}
