import { textOf } from '../api';
import type { Failed, ServiceError } from '../base/result';
import { isNoResponse, isRecord, isSuccess, type SendResult } from '../base/types';
import { isUnreadable } from '../base/values';
import { messageIn, particularIn, plainText, wordsOfPage } from './bodies';

export type Refusal =
	| 'invalid'
	| 'badKey'
	| 'noCredits'
	| 'forbidden'
	| 'notFound'
	| 'throttled'
	/** By another 4xx in the Error shape. */
	| 'other';

/** What an answer is, for the words that tell a person of it (`n8n/output/answerWords.ts`). */
export type AnswerKind =
	| Refusal
	/** The idempotency key belongs to another request. */
	| 'keyOfOther'
	| 'redirect'
	| 'proxySignIn'
	| 'networkSignIn'
	/** It is a page of what stands between n8n and the service, such as a gateway. */
	| 'foreign';

/** All that a status of the service means. Specification: Errors 2. */
interface Meaning {
	kind: AnswerKind;
	refusal?: Refusal;
	/**
	 * Whether the same request is tried again. `replayable`: where repeating it has no further effect.
	 * `conflict`: there as well, but not for long unless an earlier one may still be under way.
	 */
	again: 'always' | 'replayable' | 'conflict' | 'never';
	/**
	 * Whether it proves, as the specification says, that the request has done nothing. Otherwise nobody
	 * knows.
	 */
	nothingDone: boolean;
	/** Whether a proxy or a network wants a sign-in of its own, so that the service has done nothing. */
	isSignIn?: boolean;
	/** Why other items of the run need not be sent (`creation/refusals.ts`): they would meet it too. */
	concernsOthers?: string;
}

const refused = (refusal: Refusal, concernsOthers?: string) =>
	({ kind: refusal, refusal, again: 'never', nothingDone: true, concernsOthers }) as const;

/** An answer that is in no contract, so that nobody knows what was done. */
const other = (again: Meaning['again']): Meaning => ({ kind: 'other', again, nothingDone: false });

const MEANINGS: Partial<Record<number, Meaning>> = {
	400: refused('invalid'),
	401: refused('badKey', 'the API key was refused'),
	402: refused('noCredits', 'the credits ran out'),
	403: refused('forbidden', 'the key is not allowed to do this'),
	404: refused('notFound'),
	// A gateway gave up waiting, and the service may have carried the request out.
	408: other('replayable'),
	// The service may still be at work on another attempt with this key; else see `of409`.
	409: other('replayable'),
	// Not in the specification: most services check a request before they charge for it, but nothing says so
	// here.
	422: { ...refused('invalid'), nothingDone: false },
	// As 409: too early.
	425: other('replayable'),
	429: { ...refused('throttled', 'the service kept refusing with 429'), again: 'always' },
};

/** Any other 4xx by which the service itself refuses, such as 405: as a 422. Specification: Errors 5. */
const otherRefusal: Meaning = { ...refused('other'), nothingDone: false };

const OF_OTHER_REQUEST =
	/\b(used|belongs|bound)\b.* (another|other|different) (request|body|payload)|\bdifferent (request )?(body|payload|content|parameters?|arguments?|input)\b|\b(does not|doesn't) match\b|mismatch|reused/i;
const UNDER_WAY =
	/in[ _-](progress|use|flight)|under ?way|using|being processed|processing|pending|outstanding|executing|running|not (yet )?(completed|finished)|lock|wait|concurrent|try again/i;

/**
 * A 409 is in no contract. Some services say by it that a key was used for another request, some that the
 * first request with it is still being carried out, which passes, and some only "Conflict", by either.
 */
function of409(error: ServiceError): Meaning | undefined {
	const words = [error.type, error.message].join(' ');
	if (UNDER_WAY.test(words)) return undefined;
	if (OF_OTHER_REQUEST.test(words)) return { ...refused('invalid'), kind: 'keyOfOther' };
	return isRefusalOfService(409, error) ? { ...otherRefusal, again: 'conflict' } : undefined;
}

/** What between n8n and the service asks for a sign-in of its own has let nothing through. */
const SIGN_INS: Partial<Record<number, Meaning>> = {
	407: {
		kind: 'proxySignIn',
		again: 'never',
		nothingDone: true,
		isSignIn: true,
		concernsOthers: 'a proxy wants a sign-in',
	},
	511: {
		kind: 'networkSignIn',
		again: 'never',
		nothingDone: true,
		isSignIn: true,
		concernsOthers: 'the network wants a sign-in',
	},
};

/** A status that the specification does not name, such as 520 and 524 of gateways, or an unusable 2xx. */
const unnamed = (status: number): Meaning =>
	other(status >= 500 || isSuccess(status) ? 'replayable' : 'never');

/** What a status means in a page, which is foreign: another than the service has written it. */
const ofForeignPage = (status: number): Meaning => ({
	kind: 'foreign',
	again: meaningOf(status).again,
	nothingDone: status === 429,
	refusal: status === 429 ? 'throttled' : undefined,
});

/** @param error what the answer says, where it may be foreign */
export function meaningOf(status: number, error?: ServiceError): Meaning {
	const isRedirect = status >= 300 && status < 400 && error?.leadsTo !== undefined;
	// n8n follows none, as the key would go along.
	if (isRedirect) return { ...unnamed(status), kind: 'redirect' };
	const signIn = SIGN_INS[status];
	if (signIn) return signIn;
	if (error?.isPage) return ofForeignPage(status);
	const conflict = status === 409 && error ? of409(error) : undefined;
	const isRefused = error !== undefined && isRefusalOfService(status, error);
	return conflict ?? MEANINGS[status] ?? (isRefused ? otherRefusal : unnamed(status));
}

export const refusalOf = ({ failure }: Failed): Meaning['refusal'] =>
	failure.kind === 'status' ? meaningOf(failure.status, failure.serviceError).refusal : undefined;

export const isGone = (status: number): boolean => status === 404 || status === 410;

/**
 * Why the same request may be sent again. `retries.ts` says for how long:
 * - `throttled`: it was refused with 429, and nothing was done
 * - `unreachable`: no connection was made, so nothing was done
 * - `transient`: there was no answer, or one whose status leaves open what was done, such as a 5xx, also in a
 *   page of a gateway
 * - `conflict`: the service refused it with 409 and does not say why. What is under way under its key may be
 *   the reason, which passes
 * - `foreign`: any other answer that is not of the service, such as a page with 200 or 404, so that nobody
 *   knows what was done
 *
 * `undefined` for a final answer of the service, for an answer that cannot be read, and for a failure on this
 * machine.
 */
export type RetryReason = 'throttled' | 'unreachable' | 'transient' | 'conflict' | 'foreign';

/** @param isOpen whether an earlier attempt under the same key may be under way */
export function retryReason(response: SendResult, isOpen = false): RetryReason | undefined {
	if (isNoResponse(response)) {
		if (response.unsent === undefined) return 'transient';
		return response.unsent === 'connection' ? 'unreachable' : undefined;
	}
	const { again, isSignIn } = meaningOf(response.status, errorOf(response.body, response.headers));
	if (again === 'always') return 'throttled';
	if (isUnreadable(response.body)) return undefined;
	if (isSuccess(response.status)) return 'foreign';
	if (again === 'conflict' && !isOpen) return 'conflict';
	if (again === 'replayable' || again === 'conflict') return 'transient';
	return isAnswerOfService(response) || isSignIn ? undefined : 'foreign';
}

/**
 * Whether nobody knows if the service has carried out a request that was not answered by a usable success.
 * @param isOpen whether an earlier attempt under the same key may be under way
 */
export function isOutcomeUnknown(response: SendResult, isOpen = false): boolean {
	const reason = retryReason(response, isOpen);
	if (!isNoResponse(response) && isUnreadable(response.body)) return reason !== 'throttled';
	return reason === 'transient' || reason === 'foreign';
}

/** The message of an error, with its first detail if the message does not contain it. */
function inParticular(message: string | undefined, details: unknown): string | undefined {
	const particular = particularIn(details);
	if (message === undefined || particular === undefined) return message ?? particular;
	const isSaid = message
		.toLowerCase()
		.includes((particular.split(': ').at(-1) ?? '').toLowerCase());
	return isSaid ? message : plainText(`${message.replace(/[.:]$/, '')}: ${particular}`);
}

/** The address to which a redirect leads, as far as it may be shown. */
function leadsToOf({ location }: Record<string, string>): string | undefined {
	const [address = ''] = (textOf(location) ?? '').split(/[?#]/);
	return textOf(plainText(address));
}

/**
 * Reads an error, whatever shape it has. The message is also looked for where other services put theirs.
 * Specification: Error.
 */
export function errorOf(body: unknown, headers: Record<string, string> = {}): ServiceError {
	const leadsTo = leadsToOf(headers);
	if (typeof body === 'string' && body.trim() !== '')
		return { message: wordsOfPage(body), isPage: true, leadsTo };
	const error = isRecord(body) && isRecord(body.error) ? body.error : {};
	return {
		message: inParticular(messageIn(error.message) ?? messageIn(body), error.details),
		type: textOf(error.message) && textOf(error.type),
		requestId: textOf(error.request_id),
		details: error.details,
		leadsTo,
	};
}

/**
 * Whether an answer is a 4xx in the Error shape, whose two required fields are texts. Gateways have other
 * shapes.
 */
const isRefusalOfService = (status: number, { type }: ServiceError): boolean =>
	status >= 400 && status < 500 && type !== undefined;

/**
 * Whether a response is the service's own: a 2xx with a JSON object, or a 4xx in the Error shape. Any other,
 * such as a 5xx or a page of a gateway, says nothing about the request.
 */
export function isAnswerOfService(response: SendResult): boolean {
	if (isNoResponse(response)) return false;
	const { status, body } = response;
	// An empty body counts too, because the specification shows no body for some answers.
	const isUsable = isRecord(body) || body === undefined || body === null || body === '';
	return isSuccess(status) ? isUsable : isRefusalOfService(status, errorOf(body));
}

/** Whether the service itself has refused. */
export const isRefusal = ({ failure }: Failed): boolean =>
	failure.kind === 'status' && isRefusalOfService(failure.status, failure.serviceError);

/** Whether the service itself says that there is no such resource, or not any more. */
export const saysGone = (failed: Failed): boolean =>
	isRefusal(failed) && failed.failure.kind === 'status' && isGone(failed.failure.status);

/** The word of storages for a request that took too long. Another attempt may succeed. */
const TOO_SLOW = /\bRequestTimeout\b/;

/** The words of storages for a file that they never accept. */
const WRONG_SIZE = /\b(EntityTooLarge|EntityTooSmall)\b/;

const BAD_REQUEST = 400;

/** Whether a status of a storage can only be understood with the words of its answer. */
export const needsWords = (status: number): boolean => status === BAD_REQUEST;

/**
 * What a storage of files, which is not the service, means by a status that is no success: try the same
 * address again, ask for a new one, ask for another one but only once, or give up.
 * @param answerText the beginning of the body
 */
export function ofStorage(
	status: number,
	answerText: string,
): 'again' | 'newAddress' | 'otherAddress' | 'never' {
	if (status >= 500 || status === 408 || status === 429) return 'again';
	if (status === BAD_REQUEST && WRONG_SIZE.test(answerText)) return 'never';
	// Storages answer with this status for many reasons. Most often the signature of the link has expired.
	if (status === BAD_REQUEST) return TOO_SLOW.test(answerText) ? 'again' : 'otherAddress';
	// The address has expired, was used up, or is unknown.
	return [401, 403, 404, 409, 410, 412].includes(status) ? 'newAddress' : 'never';
}
