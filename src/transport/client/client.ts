import type { RateLimiter } from '../limits/rateLimiter';
import {
	fail,
	ok,
	type Failed,
	type Failure,
	type Result,
	type ServiceError,
} from '../base/result';
import { isOutcomeUnknown, retryDelay } from './retry';
import { retryAfterMs } from './retryAfter';
import {
	isNoResponse,
	isRecord,
	type SendResult,
	type ApiRequest,
	type ApiResponse,
	type Clock,
	type Channel,
	type Random,
} from '../base/types';

export interface RequestOptions {
	/** Whether a repeat is the same act. Default: every method but POST. */
	replayable?: boolean;
	/**
	 * Whether a 429 may be about a place among the concurrent jobs: no reason to hold up everybody, and answered to the
	 * caller at once, who gives the place back before it tries again.
	 */
	return429?: boolean;
	/** One try only: who polls comes back anyway. */
	once?: boolean;
	/** What is wrong with a successful answer; `undefined` for a good one. Default: it must be a JSON object. */
	validate?: (body: unknown) => string | undefined;
}

const mustBeObject = (body: unknown) => (isRecord(body) ? undefined : 'it is no JSON object');

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

/** Reads the Error shape (specification: Error) without trusting it. */
export function errorOf(body: unknown): ServiceError {
	const error = isRecord(body) && isRecord(body.error) ? body.error : {};
	return {
		message: text(error.message),
		type: text(error.type),
		requestId: text(error.request_id),
		details: error.details,
	};
}

/** Carries requests to the service: in turn, again where that is right, and never twice where it is not. */
export class Client {
	constructor(
		private readonly rateLimiter: RateLimiter,
		private readonly clock: Clock,
		private readonly random: Random,
	) {}

	/**
	 * Sends until there is a final answer. A success is a 2xx whose body has no flaw; everything else is a failure
	 * that says what is known. `unclear` in it: some try may have been carried out although no answer told so.
	 */
	async request(
		channel: Channel,
		request: ApiRequest,
		options: RequestOptions = {},
	): Promise<Result<ApiResponse>> {
		const replayable = options.replayable ?? request.method !== 'POST';
		let unclear = false;
		for (let attempt = 1; ; attempt += 1) {
			const answer = await this.sendOnce(channel, request);
			if (!answer) return fail({ kind: 'cancelled' });
			const flaw = flawOf(answer, options.validate ?? mustBeObject);
			if (!isNoResponse(answer) && flaw === undefined) return ok(answer);

			unclear ||= isOutcomeUnknown(answer);
			const made = { attempt, replayable, now: this.clock.now(), random: this.random };
			const delay = retryDelay(answer, made);
			const limited = isLimited(answer);
			if (limited && !options.return429) this.rateLimiter.throttled(delay ?? 0);
			if (channel.signal?.aborted) return fail({ kind: 'cancelled' });
			if (delay === undefined || options.once || (limited && options.return429)) {
				const hintMs = isNoResponse(answer) ? undefined : retryAfterMs(answer.headers, made.now);
				return toFailure(answer, { attempt, replayable, unclear, flaw, hintMs });
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

const isLimited = (answer: SendResult) => !isNoResponse(answer) && answer.status === 429;

const isSuccess = (status: number) => status >= 200 && status < 300;

function flawOf(
	answer: SendResult,
	validate: (body: unknown) => string | undefined,
): string | undefined {
	if (isNoResponse(answer)) return answer.noResponse;
	return isSuccess(answer.status) ? validate(answer.body) : `status ${answer.status}`;
}

interface FinalAttempt {
	attempt: number;
	replayable: boolean;
	unclear: boolean;
	flaw: string | undefined;
	hintMs: number | undefined;
}

function toFailure(answer: SendResult, ended: FinalAttempt): Failed {
	const { attempt, replayable, unclear, flaw, hintMs } = ended;
	let failure: Failure;
	if (isNoResponse(answer)) {
		const { noResponse: reason, unsent } = answer;
		failure = { kind: 'noResponse', reason, attempts: attempt, replayable, sent: unclear, unsent };
	} else if (isSuccess(answer.status)) {
		failure = { kind: 'badResponse', status: answer.status, problem: flaw ?? 'it cannot be read' };
	} else {
		failure = {
			kind: 'status',
			status: answer.status,
			said: errorOf(answer.body),
			unclear,
			hintMs,
		};
	}
	return fail(failure);
}
