import type { RateLimiter } from './sharing';
import {
	fail,
	ok,
	type Failed,
	type NoResponseFailure,
	type OutageOf,
	type Result,
} from '../base/result';
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
import { Attempts, retryAfterMs } from './retries';
import { errorOf, isAnswerOfService, isOutcomeUnknown, retryReason } from './statuses';

/** A request that was given up, and for which item of which execution, if for one. */
interface GivenUp {
	at: number;
	kind: string;
	asker: string | undefined;
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
	 * The most attempts, for a caller that tries again by itself. A 429 is never the last one: it says only
	 * to come back later.
	 */
	maxAttempts?: number;
	/**
	 * _Wait Timeout_ of a creation that costs credits, in ms. For so long it is sent again while nobody knows
	 * what was done, or while it is refused with 429. Other requests are sent again as long as a read.
	 */
	waitTimeoutMs?: number;
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

/**
 * Two requests are given up in a row if the second went out within this time after the first was given up, in
 * ms.
 */
const IN_A_ROW_MS = 60_000;

/** The operation that a request belongs to, regardless of the id in its path. */
const operationOf = ({ method, path }: ApiRequest) => `${method} ${path.split('/')[1] ?? ''}`;

/** What of a request may be the reason that it has no answer: with another model it might have one. */
function modeAndModelOf({ body }: ApiRequest): string {
	const { mode, model } = isRecord(body) ? body : {};
	return JSON.stringify([mode, model]);
}

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
	/** By operation, what was last given up, and when. Times are on the monotonic clock. */
	private readonly givenUp = new Map<string, GivenUp>();
	/**
	 * By operation, when the service last answered: not by one such as 503, which leaves open what was done.
	 */
	private readonly answeredAt = new Map<string, number>();

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
		const { retry = true, maxAttempts = Infinity, return429 = false } = options;
		const isReplayable = () => (typeof replayable === 'function' ? replayable() : replayable);
		const isRead = request.method === 'GET';
		const operation = operationOf(request);
		let attempts: Attempts | undefined;
		let unansweredSince = options.failingSince;
		let outcomeUnknown = options.outcomeOpen ?? false;
		let failed: Failed | undefined;
		for (;;) {
			// It waits for its turn. Meanwhile it may be cancelled, or its key may expire.
			const hasTurn = await rateLimiter.acquire(channel, isRead);
			const isStopped = !hasTurn || channel.signal?.aborted === true;
			const isExpired = outcomeUnknown && !isReplayable();
			if (hasTurn && (isStopped || isExpired)) rateLimiter.release();
			if (isStopped) return fail({ kind: 'cancelled', outcomeUnknown });
			if (isExpired) return failed ?? KEY_EXPIRED;

			// It is sent once.
			const sentAt = clock.monotonic();
			unansweredSince ??= sentAt;
			options.onSending?.();
			const response = await channel.send(request).finally(() => rateLimiter.release());
			const problem = problemOf(response, validate);
			const isUsable = !isNoResponse(response) && problem === undefined;
			const isOpen = outcomeUnknown || options.failingSince !== undefined;
			const reason = isUsable ? undefined : retryReason(response, isOpen);
			const isInOrder = isUsable || (isAnswerOfService(response) && reason !== 'transient');
			if (isInOrder) this.answeredAt.set(operation, clock.monotonic());
			if (isUsable) return ok(response);

			// What its failure means: for it, for the requests of a minute, and for other requests.
			const isThrottled = reason === 'throttled';
			outcomeUnknown ||= isOutcomeUnknown(response, isOpen);
			attempts ??= new Attempts(clock, this.random, options.waitTimeoutMs, options.failingSince);
			const pauseMs = attempts.pauseAfter(response, reason, isReplayable());
			// A caller that wants the 429 waits for a job slot then: the request rate is not to blame.
			if (isThrottled && !return429) rateLimiter.throttled(pauseMs ?? 0, isRead, sentAt);
			if (channel.signal?.aborted) return fail({ kind: 'cancelled', outcomeUnknown });
			// An answer of the service itself, and a failure on this machine, say nothing of other requests.
			const isGivenUp = pauseMs === undefined && reason !== undefined && !isThrottled;
			const outageOf = isGivenUp ? this.giveUp(request, channel, unansweredSince) : undefined;
			const facts = { attempts: attempts.count, outcomeUnknown, outageOf };
			failed = toFailure(response, problem ?? '', facts, clock.now());

			// Is it sent again?
			const isForCaller = !retry || (isThrottled ? return429 : attempts.count >= maxAttempts);
			if (pauseMs === undefined || isForCaller) return failed;
			await clock.sleep(pauseMs, channel.signal);
		}
	}

	/**
	 * A request is given up. If another one of the same operation was given up just before, and none was
	 * answered since both went out, the service is out of order. A single one may only be a request that the
	 * service cannot bear.
	 * @param unansweredSince when the request first went out: one that hangs fails minutes later
	 */
	private giveUp(
		request: ApiRequest,
		{ fairnessKey, item }: Channel,
		unansweredSince: number,
	): OutageOf | undefined {
		const operation = operationOf(request);
		const kind = modeAndModelOf(request);
		const asker = item && `${fairnessKey} ${item}`;
		const before = this.givenUp.get(operation);
		this.givenUp.set(operation, { at: this.clock.monotonic(), kind, asker });
		if (before === undefined || before.at < unansweredSince - IN_A_ROW_MS) return undefined;
		// Such as the parts of one text.
		if (asker !== undefined && before.asker === asker) return undefined;
		const answeredAt = this.answeredAt.get(operation) ?? -Infinity;
		if (answeredAt >= Math.min(before.at, unansweredSince)) return undefined;
		return before.kind === kind ? 'kind' : 'key';
	}
}

/**
 * The idempotency key expired while the request waited for its turn. So nobody will know what became of its
 * earlier attempt.
 */
const KEY_EXPIRED = fail({
	kind: 'noResponse',
	reason: 'the idempotency key has expired',
	unsent: 'keyExpired',
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
	{ attempts, outcomeUnknown, outageOf }: Omit<NoResponseFailure, 'kind' | 'reason' | 'unsent'>,
	now: number,
): Failed {
	if (isNoResponse(response)) {
		const { noResponse: reason, unsent } = response;
		return fail({ kind: 'noResponse', reason, attempts, outcomeUnknown, unsent, outageOf });
	}
	const { status, headers, body } = response;
	if (isSuccess(status)) return fail({ kind: 'badResponse', status, problem, outageOf });
	const hintMs = retryAfterMs(headers, now);
	const serviceError = errorOf(body, headers);
	return fail({ kind: 'status', status, serviceError, outcomeUnknown, hintMs, outageOf });
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
